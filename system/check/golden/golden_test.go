package golden

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

func document(t *testing.T) *contract.Document {
	t.Helper()
	doc, err := contract.Load("../testdata/documents/golden.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

const head = "# A title.\nwant delivery.no-loss broken 1\n"

func TestWhatIsWrongIsRefusedWithItsLine(t *testing.T) {
	doc := document(t)
	for text, want := range map[string]string{
		"want delivery.no-loss broken 1\n":                          "line 1: .*sentence",
		"# A title.\n":                                              "no want line",
		"# A title.\nevent v1 sensor-07 08:10 24.5\n":               "line 2: the first line after the sentence is want",
		"# A title.\nwant delivery.no-loss broken\n":                "line 2: want: the count is missing",
		"# A title.\nwant delivery.no-loss good\n":                  `line 2: want: "good" is no outcome`,
		"# A title.\nwant delivery.no-loss waived\n":                "line 2: want: .* nothing that a checker says",
		head + "want delivery.no-loss broken 1\n":                   "line 3: want: it stands twice",
		head + "nonsense\n":                                         `line 3: "nonsense" is no kind of line`,
		head + "send v1 ok\n":                                       "line 3: send: no line above names v1",
		head + "event v1 sensor-07 08:10\n":                         "line 3: event: .*numbers",
		head + "event v1 sensor-07 8am 24.5\n":                      "line 3: event: .*parsing time",
		head + "event v1 sensor-07 08:10 24.5,3\n":                  "line 3: event: .*2 numbers, and the fold 1 fields",
		head + "event v1 sensor-07 08:10 many\n":                    `line 3: event: "many" is no number`,
		head + "event v1 sensor-07 08:10 24.5 loud\n":               `line 3: event: option "loud" is not one of`,
		head + "event v1 sensor-07 08:10 1\nevent v1 s 08:10 1\n":   "line 4: event: v1 stands twice",
		head + "raw x hello\nsend x perhaps\n":                      `line 4: send: "perhaps" is not ok`,
		head + "raw x hello\nanswer x ok\n":                         "line 4: answer: no send of x is open",
		head + "raw x hello\nrecord kejadian x\n":                   `line 4: record: "kejadian" is no place`,
		head + "raw x hello\nrecord kejadian/0@0 x from=1\n":        "line 4: record: .*not 3 numbers",
		head + "end kejadian/0@5 more\n":                            "line 3: end: option",
		head + "+ kejadian/0@5\n":                                   "line 3: \\+: no exchange stands above",
		head + "exchange Fetch display/1 took=soon\n":               "line 3: exchange: took",
		head + "at 5s\nat 4s\n":                                     "line 4: at: .*before the line above",
		head + "fault cut middle\n":                                 "line 3: fault: .*neither begin nor end",
		head + "topic kejadian two\n":                               "line 3: topic: .*no number",
		head + "summary rangkuman/0@0 sensor-07 08:00 1,2\n":        "line 3: summary: .*2 numbers, and the fold 4 fields",
		head + "summary nowhere/0@0 sensor-07 08:00 1,2,3,4\n":      "line 3: summary: the document has no example of topic nowhere",
		head + "event v1 s 08:10 1 set=/data/x:hello\n":             "line 3: event: set: .*no JSON",
		head + "row display sensor-07/08:00 1,2\n":                  "line 3: row: .*2 numbers",
		head + "raw x hello\nsend x ok where=there\n":               "line 4: send: .*no place",
		head + "exchange OffsetCommit summarizer/1\n+ k/0@0 code=x": "line 4: \\+: code",
	} {
		_, err := Read(doc, []byte(text))
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestLinesBecomeWhatARunWouldHaveSeen(t *testing.T) {
	f, err := Read(document(t), []byte(head+`
event v1 sensor-07 08:10 24.5
send v1 ok where=kejadian/1@4
record kejadian/1@4 v1 from=7:0:3
exchange Produce recorder/1 fault=cut do=hold took=2s
+ kejadian/1@4 labels=v1,v2 told=6
lacks rows nobody shows them
`))
	if err != nil {
		t.Fatal(err)
	}
	h := f.Input.History
	if len(h.Events) != 3 || len(h.Ledger) != 1 || f.Input.Lacks[contract.NeedsRows] != "nobody shows them" {
		t.Fatalf("%+v", h)
	}
	value := `{"data":{"alat":"sensor-07","suhu":24.5},"id":"v1","jenis":"suhu.terbaca","waktu":"2026-11-07T08:10:00Z"}`
	invoke, answer, record := h.Events[0], h.Events[1], h.Events[2]
	if invoke.Value != value || invoke.Phase != history.Invoke || answer.Of != invoke.Seq || answer.Where.Offset != 4 {
		t.Errorf("send %+v %+v", invoke, answer)
	}
	if record.Value != value || record.Key != "sensor-07" || record.Producer.Seq != 3 || record.Tag != history.ScanRest {
		t.Errorf("record %+v", record)
	}
	x := h.Ledger[0]
	if x.Fault != "cut" || x.Do != "hold" || x.Items[0].Records != 2 || x.Items[0].ToldCode != 6 || x.Items[0].Code != 0 {
		t.Errorf("exchange %+v", x)
	}
}

// The description of the form names every kind of line.
func TestTheReadmeNamesEveryKindOfLine(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for verb := range verbs {
		if !strings.Contains(string(text), "`"+verb+" ") {
			t.Errorf("README.md does not describe %q", verb)
		}
	}
}
