package workload_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

// frame is a document of which tests change the parts that workloads come from.
const frame = `contract: v1
id: percobaan
topics:
  masuk: {partitions: PARTITIONS, config: {retention.ms: 604800000}, KEY payload: masuk, purpose: input}
  keluar: {partitions: 1, config: {retention.ms: 604800000}, key: {from: /group}, payload: keluar, purpose: output}
envelope: {id: /ref, type: /what, time: /when, data: /body}
payloads:
  masuk:
    schema: SCHEMA
    RULES
    examples: []
  keluar:
    schema: {type: object}
    examples: []
groups:
  g: {reads: [masuk]}
flows:
  in: {role: taker, writes: masuk, semantics: at-least-once}
  sum:
    role: adder
    reads: masuk
    group: g
    dedupe: {by: /ref, window: P7D}
    KIND
    FOLD
  out: {role: adder, writes: keluar, semantics: at-least-once, overwrite-key: [OVER]}
source: {resend: never, after: PT1S, concurrency: 2}
workload: WORKLOAD
adrs: adr
`

var parts = map[string]string{
	"PARTITIONS": "6",
	"KEY":        "key: {from: /body/who},",
	"SCHEMA": `{type: object, required: [ref, what, when, body], properties: {ref: {type: integer, minimum: 1}, what: {type: string, pattern: '^[a-z]+\.[a-z]+$'},
      when: {type: string, format: date-time}, body: {type: object, required: [who, n], properties: {who: {type: integer, minimum: 1}, n: {type: integer}}}}}`,
	"RULES":    "",
	"FOLD":     "fold: {by: [/body/who], window: {of: /when, size: PT15M, zone: Asia/Kolkata, into: /from, as: number, grace: PT1M}, emit: on-close, into: {/sum: {sum: /body/n}, /mean: {mean: /body/n, decimals: 1}}}",
	"WORKLOAD": "{from: schema}",
	"OVER":     "/group, /from",
	"KIND":     "",
}

// documentWith makes a document with some parts changed.
func documentWith(t *testing.T, change map[string]string) *contract.Document {
	t.Helper()
	text := frame
	for name, part := range parts {
		if other, ok := change[name]; ok {
			part = other
		}
		text = strings.ReplaceAll(text, name, part)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "adr"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "architecture.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := contract.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// unseen are documents of other shapes: what is there must be covered.
var unseen = map[string]map[string]string{
	"numbers as keys and ids": {},
	"sums that grow long": {"SCHEMA": `{type: object, required: [ref, what, when, body], properties: {ref: {type: string, format: uuid}, what: {const: order.paid},
      when: {type: string, format: date-time}, body: {type: object, required: [who, n], properties: {who: {type: string, pattern: '^[A-Z]{3}-\d+$'}, n: {type: number, minimum: 0}}}}}`},
	"one key for each event": {"KEY": "key: {from: /ref},", "FOLD": strings.Replace(parts["FOLD"], "PT15M, zone: Asia/Kolkata", "P1D, zone: America/St_Johns", 1)},
	"two fields name a group": {"OVER": "/shop, /from, /customer", "FOLD": strings.Replace(parts["FOLD"], "by: [/body/who]", "by: [/body/place, /body/who]", 1), "SCHEMA": `{type: object, required: [ref, what, when, body],
      properties: {ref: {type: string, minLength: 12}, what: {enum: [a.b, c.d]}, when: {type: string, format: date-time},
      body: {type: object, required: [who], properties: {place: {enum: [x, y]}, who: {type: string, minLength: 5}, n: {type: number, multipleOf: 0.5}, note: {type: [string, 'null']}, tags: {type: array, items: {type: string}}}}}}`},
	"times to the second, in one zone": {"RULES": "rules: {json-names: unique, time: {at: /when, zone: '+07:00'}}", "SCHEMA": strings.Replace(parts["SCHEMA"], "format: date-time", `format: date-time, pattern: '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+07:00$'`, 1)},
	"nested references": {"SCHEMA": `{$ref: '#/$defs/event', $defs: {event: {type: object, additionalProperties: false, required: [ref, what, when, body], properties: {ref: {$ref: '#/$defs/id'}, what: {type: string}, when: {type: string, format: date-time},
      body: {allOf: [{$ref: '#/$defs/person'}, {type: object, required: [n], properties: {n: {type: integer, minimum: 0, maximum: 9}}}]}}}, id: {type: string, pattern: '^[0-9A-F]{16}$'}, person: {type: object, required: [who], properties: {who: {type: string, pattern: '^w[0-9]{3}$'}}}}}`},
	"one partition":                {"PARTITIONS": "1"},
	"grace longer than the window": {"FOLD": strings.Replace(parts["FOLD"], "grace: PT1M", "grace: PT40M", 1)},
	"no summaries":                 {"FOLD": "", "KIND": "kind: summarizer", "OVER": "/group"},
	"templates": {"WORKLOAD": `{from: templates, unique: [/body/order], templates: [{ref: 1, what: order.paid, when: '2026-01-01T00:00:00Z', body: {who: ani, order: 1, price: 2, count: 3, n: 6}},
      {ref: 1, what: order.paid, when: '2026-01-01T00:00:00Z', body: {who: budi, order: 1, price: 5, count: 5, n: 25}}, {ref: 2, what: order.paid, when: '2026-01-01T00:00:00Z', body: {who: ani, order: 1, price: 1, count: 1, n: 1}}]}`,
		"SCHEMA": `{type: object, required: [ref, what, when, body], properties: {ref: {type: integer, minimum: 1, maximum: 999999}, what: {type: string}, when: {type: string, format: date-time},
      body: {type: object, required: [who, order, price, count, n], properties: {who: {type: string}, order: {type: integer, minimum: 1000, maximum: 99999}, price: {type: integer}, count: {type: integer}, n: {type: integer}}}}}`},
}

func TestLoadsAreMadeForDocumentsNobodyHasSeen(t *testing.T) {
	for name, change := range unseen {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			doc := documentWith(t, change)
			for seed := range uint64(6) {
				l, err := workload.Make(doc, workload.Options{Seed: seed, Base: base})
				if err != nil {
					t.Fatal(err)
				}
				label := workload.Identify(doc, l)
				for _, e := range l.Events {
					if problems := doc.PayloadOf(l.Topic).Validate(e.Record); e.Valid() != (len(problems) == 0) {
						t.Fatalf("%s %s: %v: %s", e.Label, e.Tag, problems, e.Record)
					}
					if e.Valid() && label(l.Topic, e.Record) != e.Label {
						t.Fatalf("%s is taken for %q: %s", e.Label, label(l.Topic, e.Record), e.Record)
					}
				}
				for _, must := range []string{workload.TagDuplicateNow, workload.TagDuplicateLater, workload.TagInvalid, workload.TagLate, workload.TagStart, workload.TagEnd} {
					if l.Covered[must] == 0 {
						t.Errorf("seed %d: %s is not covered: %v", seed, must, l.Covered)
					}
				}
				if l.Covered[workload.CoverWindows] < 4 {
					t.Errorf("seed %d: %v", seed, l.Covered)
				}
				if doc.Topic("masuk").Key.From != "" && name != "templates" && l.Covered[workload.CoverPartitions] != l.Covered[workload.CoverOf] {
					t.Errorf("seed %d: keys of %d partitions of %d", seed, l.Covered[workload.CoverPartitions], l.Covered[workload.CoverOf])
				}
			}
		})
	}
}

func TestSumsGrowLongerThanANumberOfBinary64WhereTheSchemaAllows(t *testing.T) {
	l, err := workload.Make(documentWith(t, unseen["sums that grow long"]), workload.Options{Seed: 1, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	if l.Covered[workload.CoverLong] == 0 || l.Covered[workload.CoverRounded] == 0 {
		t.Errorf("covered: %v", l.Covered)
	}
}

func TestTemplatesKeepWhatTheySayAndGetTheirOwnIDs(t *testing.T) {
	l, err := workload.Make(documentWith(t, unseen["templates"]), workload.Options{Seed: 1, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for _, e := range l.Valid() {
		order, _ := contract.Pointer("/body/order").Text(e.Record)
		if orders[order] {
			t.Errorf("%s: order %s stands twice", e.Label, order)
		}
		orders[order] = true
		if n, _ := contract.Pointer("/body/n").Text(e.Record); n != "6" && n != "25" && n != "1" {
			t.Errorf("%s is of no template: %s", e.Label, e.Record)
		}
	}
	if l.Covered[workload.CoverKeys] != 2 {
		t.Errorf("keys: %v", l.Covered)
	}
}

func TestWhatNoDrawMeetsIsAnErrorThatSaysTheWayOut(t *testing.T) {
	doc := documentWith(t, map[string]string{"SCHEMA": `{type: object, required: [ref, what, when, body], properties: {ref: {type: string, format: uuid}, what: {type: string}, when: {type: string, format: date-time},
      body: {type: object, required: [who, n], properties: {who: {type: string}, n: {type: integer, not: {minimum: 0}}}}}}`})
	_, err := workload.Make(doc, workload.Options{Base: base})
	if err == nil || !strings.Contains(err.Error(), "/body/n") || !strings.Contains(err.Error(), "templates") {
		t.Errorf("got %v", err)
	}
	few := documentWith(t, map[string]string{"SCHEMA": `{type: object, required: [ref, what, when, body], properties: {ref: {type: integer, minimum: 1, maximum: 9}, what: {type: string}, when: {type: string, format: date-time},
      body: {type: object, required: [who, n], properties: {who: {type: string}, n: {type: integer}}}}}`})
	if _, err := workload.Make(few, workload.Options{Base: base}); err == nil || !strings.Contains(err.Error(), "/ref") {
		t.Errorf("nine ids for 120 events: %v", err)
	}
}

func TestASummaryOfTwoFieldsIsNamedInTheOrderOfItsOverwriteKey(t *testing.T) {
	doc := documentWith(t, unseen["two fields name a group"])
	l, err := workload.Make(doc, workload.Options{Seed: 1, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	label := workload.Identify(doc, l)
	for _, e := range l.Valid() {
		s := l.SummariesOf(e)[0]
		record := `{"shop":"` + e.Group[0] + `","customer":"` + e.Group[1] + `","from":` + string(doc.Folds()[0].Fold.Window.Format(s.Window)) + `}`
		if got := label("keluar", []byte(record)); got != s.Label || !strings.HasPrefix(got, "summary:"+e.Group[0]+","+e.Group[1]+"|") {
			t.Fatalf("%s counts in %q, and %s is %q", e.Label, s.Label, record, got)
		}
	}
}

// Recorded runs are played again from their seeds: a change of this digest makes old plans aim at other events. Change it only on
// purpose, and say so in the change log.
func TestALoadStaysWhatRecordedRunsWereMadeWith(t *testing.T) {
	l, err := workload.Make(documentWith(t, nil), workload.Options{Seed: 1, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, s := range l.Sends {
		fmt.Fprintf(sum, "%s %s %s %s\n", s.Kind, s.Tag, s.Event.Label, s.Event.Record)
	}
	if got, want := fmt.Sprintf("%x", sum.Sum(nil)), "e3e342a68cce60c1d942ae8bead935141b33637fb41c669b7c3982ed71769453"; got != want {
		t.Errorf("the load's digest is %s, want %s", got, want)
	}
}
