package services

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
)

func document() *contract.Document {
	fold := &contract.Fold{Window: contract.Window{Into: "/data/jam"}, Into: []contract.Aggregate{{Into: "/data/jumlah", Op: "count"}, {Into: "/data/suhu_rata", Op: "mean"}}}
	return &contract.Document{
		Topics:   []contract.Topic{{Name: "m8-suhu-kejadian"}, {Name: "m8-suhu-rangkuman"}},
		Envelope: contract.Envelope{Data: "/data"},
		Groups:   []contract.Group{{Name: "perekap"}, {Name: "tampilan"}},
		Flows: []contract.Flow{
			{Name: "rekam", Role: "recorder", Kind: contract.Recorder, Writes: "m8-suhu-kejadian"},
			{Name: "hitung", Role: "summarizer", Kind: contract.Summarizer, Reads: "m8-suhu-kejadian", Group: "perekap", Fold: fold},
			{Name: "rangkum", Role: "summarizer", Kind: contract.Summarizer, Writes: "m8-suhu-rangkuman",
				OverwriteKey: []contract.Pointer{"/data/id_perangkat", "/data/jam"}},
			{Name: "tampilkan", Role: "display", Kind: contract.Display, Reads: "m8-suhu-rangkuman", Group: "tampilan"},
		},
	}
}

// whole is the example of the interface, with a shell for each service.
const whole = `
system: architecture.yaml            # relative to this file
broker: {topics: exact}
roles:
  recorder:
    plays: [rekam]
    command: [sh, recorder.py]
    dir: services
    env: {KAFKA: "{bootstrap}", TOPIC: "{topic:m8-suhu-kejadian}", PORT: "{port}", STATE: "{state}"}
    ready: {http: "http://127.0.0.1:{port}/healthz", within: 20s}
    accept:
      http: {method: POST, url: "http://127.0.0.1:{port}/events", body: envelope}
      recorded: [200, 201, 202]
      refused: {status: [400, 422]}
      event-id: /event_id
    stop: {signal: TERM, within: 10s}
  summarizer: {plays: [hitung, rangkum], command: [sh, summarizer.py], instances: 2, env: {KAFKA: "{bootstrap}"}}
  display:
    plays: [tampilkan]
    command: [sh, display.py]
    rows: {http: {url: "http://127.0.0.1:{port}/rows"}, at: /rows, key: [/id_perangkat, /jam], value: ""}
`

func folder(t *testing.T, yaml string) string {
	t.Helper()
	dir := t.TempDir()
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "services"), 0o755),
		os.WriteFile(filepath.Join(dir, "architecture.yaml"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "sut.yaml"), []byte(yaml), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "sut.yaml")
}

func TestTheExampleOfTheInterfaceIsRead(t *testing.T) {
	path := folder(t, whole)
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = f.Bind(document()); err != nil {
		t.Fatal(err)
	}
	if f.System != filepath.Join(filepath.Dir(path), "architecture.yaml") || !f.Exact || len(f.Roles) != 3 {
		t.Errorf("%+v", f)
	}
	r, s, d := f.Roles[0], f.Roles[1], f.Roles[2]
	if r.Dir != filepath.Join(filepath.Dir(path), "services") || r.Ready.Within != 20*time.Second || !r.Restart || r.Instances != 1 ||
		!r.Accept.Recorded[202] || !r.Accept.Refused[422] || *r.Accept.EventID != "/event_id" || r.Accept.Within != AcceptWithin ||
		r.Accept.Fields != nil || r.Accept.HTTP.Data || r.Stop.Within != 10*time.Second {
		t.Errorf("%+v", r)
	}
	if s.Instances != 2 || s.Plain != "summarizer" || s.Ready.Group.Value != "perekap" || s.Ready.Within != ReadyWithin {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(d.Rows.Key, []contract.Pointer{"/id_perangkat", "/jam"}) || d.Rows.Value != nil || d.Rows.At != "/rows" {
		t.Errorf("%+v", d.Rows)
	}
}

// first is the example with one change.
func first(t *testing.T, from, to string) string {
	t.Helper()
	if !strings.Contains(whole, from) {
		t.Fatalf("the example has no %q", from)
	}
	return strings.Replace(whole, from, to, 1)
}

func TestEachMistakeIsNamedWithItsLine(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"plays: [rekam]", "plais: [rekam]", `6:5: roles.recorder: unknown key "plais"; did you mean "plays"?`},
		{"broker:", "brokr:", `3:1: unknown key "brokr"; did you mean "broker"?`},
		{"topics: exact", "topics: exactly", `3:18: broker.topics: unknown word "exactly"; did you mean "exact"?`},
		{"architecture.yaml ", "nowhere.yaml ", "2:9: system: no file "},
		{"dir: services", "dir: srvices", "8:10: roles.recorder.dir: no folder "},
		{"command: [sh, recorder.py]", "command: sh recorder.py", "7:14: roles.recorder.command: must be a list"},
		{"command: [sh, recorder.py]", "command: [no-such-program]", `7:15: roles.recorder.command: no executable "no-such-program" in `},
		{"command: [sh, recorder.py]", "command: [./recorder]", "7:15: roles.recorder.command: no executable file "},
		{`"{port}", STATE`, `"{prot}", STATE`, `9:74: unknown placeholder {prot}; did you mean "port"?`},
		{"{topic:m8-suhu-kejadian}", "{topic}", "{topic} needs a name: {topic:NAME}"},
		{"{topic:m8-suhu-kejadian}", "{topic:m8-suhu-kejadia}", `the document has no such topic; did you mean "m8-suhu-kejadian"?`},
		{`"{state}"`, `"{state:x}"`, "{state} takes no name"},
		{"within: 20s", "within: 20", `10:62: roles.recorder.ready.within: "20" is no length of time`},
		{"http: \"http://127.0.0.1:{port}/healthz\", ", "", "10:12: roles.recorder.ready: give one of http, line, port, group"},
		{"within: 20s}", "port: \"1\"}", "10:12: roles.recorder.ready: give one of"},
		{"body: envelope", "body: datum", `did you mean "data"?`},
		{"method: POST", "method: P ST", `"P ST" is no HTTP method`},
		{`url: "http://127.0.0.1:{port}/events"`, `url: "127.0.0.1:{port}/events"`, "12:33: roles.recorder.accept.http.url: begins with http://"},
		{"recorded: [200, 201, 202]", "", "12:7: roles.recorder.accept.recorded: missing"},
		{"recorded: [200, 201, 202]", "recorded: [200, 42]", "13:23: roles.recorder.accept.recorded: \"42\" is no whole number from 200 to 599"},
		{"status: [400, 422]", "status: [400, 201]", "status 201 can't mean recorded and refused"},
		{"event-id: /event_id", "event-id: event_id", "15:17: roles.recorder.accept.event-id: "},
		{"event-id: /event_id", "event-id: /", "15:17: roles.recorder.accept.event-id: "},
		{"signal: TERM", "signal: TREM", `did you mean "TERM"?`},
		{"instances: 2", "instances: 0", `"0" is no whole number from 1 to 100`},
		{"instances: 2", "restart: sometimes", "unknown word \"sometimes\""},
		{"at: /rows, key", "stdio: {}, key", "roles.display.rows: give one of http, stdio"},
		{`value: ""`, `value: all`, `roles.display.rows.value: give "" `},
		{`value: ""`, `value: {/data/jumlh: /n}`, `/data/jumlh is no field of the fold; did you mean "/data/jumlah"?`},
		{"key: [/id_perangkat, /jam]", "key: [/id_perangkat]", "1 places for the 2 fields of overwrite-key"},
		{"key: [/id_perangkat, /jam]", "key: [/a, /b], shape: map", "the names of the map are the key"},
		{"plays: [tampilkan]", "plays: [tampilkn]", `19:13: plays: the document has no flow "tampilkn"; did you mean "tampilkan"?`},
		{"plays: [hitung, rangkum]", "plays: [hitung]", "the document's role summarizer also has rangkum: a role is played whole"},
		{"plays: [tampilkan]", "plays: [tampilkan, rekam]", "flow rekam belongs to the document's role recorder"},
		{"plays: [tampilkan]", "plays: [rekam]", "the document's role recorder is played by roles.recorder already"},
		{"plays: [tampilkan]", "plays: []", "roles.display.plays: missing"},
		{"instances: 2", "accept: stdio", "roles.summarizer.accept: summarizer records nothing"},
		{"instances: 2", "rows: stdio", "roles.summarizer.rows: summarizer shows nothing"},
		{"instances: 2", "ready: {group: perkap}", `the document has no group "perkap"; did you mean "perekap"?`},
		{"  display:\n", "  recorder:\n", `18:3: roles: "recorder" is given twice, first on line 5`},
		{"  display:\n", "  dis play:\n", `"dis play" is no name of a role`},
		{"within: 10s", "within: {}", "must be a text"},
		{"{KAFKA: \"{bootstrap}\"}}", "[KAFKA]}", "roles.summarizer.env: must be a mapping"},
	} {
		err := loadAndBind(t, first(t, c.from, c.to))
		var faults Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q:\n got %v\nwant %s", c.to, c.from, err, c.want)
			continue
		}
		if strings.Contains(c.want, ":") && faults[0].Pos.Line == 0 {
			t.Errorf("no line: %v", err)
		}
	}
}

func loadAndBind(t *testing.T, yaml string) error {
	t.Helper()
	f, err := Load(folder(t, yaml))
	if err == nil {
		_, err = f.Bind(document())
	}
	return err
}

func TestAllMistakesAreNamedAtOnceInTheOrderOfLines(t *testing.T) {
	yaml := strings.NewReplacer("plays: [rekam]", "plais: [rekam]", "signal: TERM", "signal: X", "instances: 2", "instance: 2", "exact", "x").Replace(whole)
	var faults Faults
	if err := loadAndBind(t, yaml); !errors.As(err, &faults) {
		t.Fatal(err)
	}
	var lines []int
	for _, f := range faults {
		lines = append(lines, f.Pos.Line)
	}
	if !slices.Equal(lines, []int{3, 6, 6, 16, 17}) {
		t.Errorf("lines %v:\n%v", lines, faults)
	}
}

func TestFilesThatAreNoFormAtAll(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"", "the file is empty"}, {"a: [", "no YAML"}, {"[]", "must be a mapping"}, {"system: architecture.yaml", "roles: missing"}, {"roles:", "roles: missing"},
		{"roles: {}", "roles: empty"}, {"roles: 7", "roles: must be a mapping"}, {"roles: {r: 7}", "roles.r: must be a mapping"},
		{"roles: &a {r: *a}", "roles.r"}, {"a: 1\n---\nb: 2", "one YAML document"}, {"? [a]\n: 1", "a name must be a plain word"},
	} {
		if err := loadAndBind(t, c.yaml); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.yaml, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestASetupMayBuildWhatIsNotThereYet(t *testing.T) {
	f, err := Load(folder(t, first(t, "command: [sh, recorder.py]", "command: [./built-later]\n    setup: [[make, a], [make, b]]")))
	if err != nil || fmt.Sprint(f.Roles[0].Setup) != "[[make a] [make b]]" {
		t.Fatal(err)
	}
}

func TestBracesThatAreNoPlaceholdersStay(t *testing.T) {
	get := func(word, name string) string { return "<" + word + "," + name + ">" }
	for in, want := range map[string]string{
		"{port}": "<port,>", "{topic:a-b}": "<topic,a-b>", "${port}": "${port}", "{{port}": "{port}", `{"a":1}`: `{"a":1}`,
		"x{2,3}": "x{2,3}", "{}": "{}", "{PORT}": "{PORT}", "{port}{port}": "<port,><port,>", "{": "{",
	} {
		if got := Expand(in, get); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{whole, "", "roles: {r: {plays: [rekam], command: [sh]}}", "roles: &a {r: *a}", "a: &b [*b]", "roles: {r: {accept: stdio, rows: stdio}}",
		"{{{", "roles: {r: {setup: [[]]}}", "roles: {r: {command: ['{']}}", "roles: {? {a: b} : c}", "roles: {r: {accept: {http: 7, refused: []}}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("sut.yaml", []byte(text))
		var faults Faults
		switch {
		case err == nil:
			if len(file.Roles) == 0 {
				t.Fatal("a file without roles was let through")
			}
			if _, err := file.Bind(document()); err != nil && !errors.As(err, &faults) {
				t.Fatalf("%T %v", err, err)
			}
		case !errors.As(err, &faults):
			t.Fatalf("%T %v", err, err)
		case len(faults) == 0 || strings.Contains(faults[0].What, "%!"):
			t.Fatalf("%v", faults)
		}
	})
}
