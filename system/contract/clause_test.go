package contract_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tahanuji/system/contract"
)

func ids(d *contract.Document) []string {
	var all []string
	for _, c := range contract.Clauses(d) {
		all = append(all, string(c.ID))
	}
	return all
}

func TestTheSensorDocumentMakesEveryClause(t *testing.T) {
	want := strings.Fields(`topic.partitions topic.retention topic.cleanup topic.key topic.only-listed group.full-stream schema.valid-only poison.isolated
		delivery.no-loss delivery.in-doubt delivery.no-invention producer.acks-all producer.idempotent producer.no-log-duplicate ack.truth order.device
		commit.after-store commit.matches group.progress lag.bound count.once summary.value summary.published summary.same-value summary.replay
		display.last-value replay.window capacity.arithmetic role.stays-up`)
	if got := ids(load(t, sensorFile)); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if len(contract.ClauseIDs()) != len(want) {
		t.Errorf("%d ids of clauses, want %d", len(contract.ClauseIDs()), len(want))
	}
}

func TestAPartThatIsNotThereMakesNoClause(t *testing.T) {
	absent := strings.Fields("producer.idempotent producer.no-log-duplicate order.device summary.same-value summary.replay replay.window capacity.arithmetic")
	got := ids(load(t, shopFile))
	for _, id := range absent {
		if slices.Contains(got, id) {
			t.Errorf("the shop makes %s, and lacks its part", id)
		}
	}
	if want := len(contract.ClauseIDs()) - len(absent); len(got) != want {
		t.Errorf("%d clauses, want %d: %q", len(got), want, got)
	}
}

// least has a recorder and nothing else.
const least = `
contract: v1
id: least
topics: {t: {partitions: 1, key: {from: /id}}}
envelope: {id: /id, type: /type, time: /time, data: ""}
payloads: {}
flows: {f: {role: r, writes: t}}
`

func TestTheLeastDocumentMakesTheLeastClauses(t *testing.T) {
	d, err := contract.Parse("a.yaml", []byte(least), fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"topic.partitions", "topic.key", "topic.only-listed", "delivery.no-invention", "ack.truth", "order.device", "role.stays-up"}
	if got := ids(d); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEachPartMakesItsClauses(t *testing.T) {
	for _, c := range []struct{ name, old, fresh, makes string }{
		{"semantics", "writes: t", "writes: t, semantics: at-least-once", "delivery.no-loss"},
		{"a resend", "flows: {f: {role: r, writes: t", "source: {resend: until-recorded}\nflows: {f: {role: r, writes: t, semantics: at-least-once", "delivery.no-loss delivery.in-doubt"},
		{"acks", "writes: t", "writes: t, producer: {acks: all}", "producer.acks-all"},
		{"an idempotent producer", "writes: t", "writes: t, producer: {idempotent: true}", "producer.idempotent producer.no-log-duplicate"},
		{"a weak ack", "writes: t", "writes: t, producer: {acks: 1}", ""},
		{"a retention", "partitions: 1", "partitions: 1, config: {retention.bytes: 1000}", "topic.retention"},
		{"a cleanup policy", "partitions: 1", "partitions: 1, config: {cleanup.policy: compact}", "topic.cleanup"},
		{"a replay", "payloads: {}", "payloads: {}\nreplay: {topic: t, window: P1D}", "replay.window"},
		{"a capacity", "payloads: {}", "payloads: {}\ncapacity: {sources: 1, interval: PT1S, event-bytes: 10}", "capacity.arithmetic"},
		{"a payload", "payloads: {}", "payloads: {p: {schema: true}}", ""},
		{"a reader", "writes: t}", "writes: t}, g: {role: d, kind: display, reads: t, group: k}}\ngroups: {k: {reads: [t]}", "group.full-stream commit.matches group.progress"},
		{"a reader with a bound", "writes: t}", "writes: t}, g: {role: d, kind: display, reads: t, group: k}}\ngroups: {k: {reads: [t], lag: {max: 5}}", "group.full-stream commit.matches group.progress lag.bound"},
		{"a display", "writes: t}", "writes: t}, g: {role: d, reads: t, group: k, view: last-by-key}}\ngroups: {k: {reads: [t]}", "group.full-stream commit.matches group.progress display.last-value"},
		{"at most once", "writes: t", "writes: t, semantics: at-most-once", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(least, c.old, c.fresh, 1)
			d, err := contract.Parse("a.yaml", []byte(text), fstest.MapFS{})
			if err != nil {
				t.Fatal(err)
			}
			before, _ := contract.Parse("a.yaml", []byte(least), fstest.MapFS{})
			var made []string
			for _, id := range ids(d) {
				if !slices.Contains(ids(before), id) {
					made = append(made, id)
				}
			}
			want := strings.Fields(c.makes)
			slices.Sort(made)
			slices.Sort(want)
			if !slices.Equal(made, want) {
				t.Errorf("made %q, want %q", made, want)
			}
		})
	}
}

func TestRecordsWithoutAKeyOrATypePromiseNoKeyAndNoOrder(t *testing.T) {
	text := strings.Replace(strings.Replace(least, ", key: {from: /id}", "", 1), "type: /type, ", "", 1)
	d, err := contract.Parse("a.yaml", []byte(text), fstest.MapFS{})
	if err != nil || text == least {
		t.Fatalf("%v\n%s", err, text)
	}
	want := []string{"topic.partitions", "topic.only-listed", "delivery.no-invention", "ack.truth", "role.stays-up"}
	if got := ids(d); !slices.Equal(got, want) || d.Topics[0].Key.From != "" || d.Envelope.Type != "" {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSeveralInFlightPromiseNoOrder(t *testing.T) {
	d, err := contract.Parse("a.yaml", []byte(least+"source: {concurrency: 4}\n"), fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(ids(d), "order.device") {
		t.Error("order.device follows from events sent four at a time")
	}
}

func TestEachClauseSaysWhereItStandsAndWhatCanTouchIt(t *testing.T) {
	names := contract.FaultNames()
	for _, file := range []string{sensorFile, shopFile} {
		used := map[string]bool{}
		for _, c := range contract.Clauses(load(t, file)) {
			if c.Text == "" || c.Level != contract.Required || c.Pos.Line < 2 || c.Pos.File != file {
				t.Errorf("%s: %+v", c.ID, c)
			}
			if !strings.HasPrefix(c.Source, "/") || contract.Pointer(c.Source).Check() != nil {
				t.Errorf("%s follows from %q", c.ID, c.Source)
			}
			needs := slices.Contains([]contract.ID{"poison.isolated", "delivery.in-doubt", "summary.same-value", "summary.replay"}, c.ID)
			if len(c.Faults) == 0 || needs == (c.Faults[0] == contract.None) {
				t.Errorf("%s needs a fault to be put to the test: %t; it names %q", c.ID, needs, c.Faults)
			}
			seen := map[string]bool{}
			for _, f := range c.Faults {
				if seen[f] || !slices.Contains(names, f) {
					t.Errorf("%s: the fault %s is unknown, or named twice", c.ID, f)
				}
				seen[f], used[f] = true, true
			}
		}
		for _, f := range names {
			if !used[f] && (f != "replayed" || file != shopFile) {
				t.Errorf("%s: no clause is touched by %s", file, f)
			}
		}
	}
}

func TestTheNamesOfFaultsAreThoseOfTheReport(t *testing.T) {
	want := strings.Fields(`none produce-refused produce-applied-error produce-ack-lost produce-cut produce-copied produce-late-copy produce-held
		commit-refused commit-applied-error commit-ack-lost commit-cut commit-late-copy commit-held fetch-refused fetch-cut fetch-held heartbeat-refused
		heartbeat-held join-refused join-cut sync-refused sync-cut node-down leader-moved coordinator-moved role-killed role-paused member-joins member-leaves
		duplicate-sends reordered-input late-input invalid-input burst-input store-fails store-full store-slow poison-record replayed`)
	got := contract.FaultNames()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
