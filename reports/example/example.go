// Package example makes up sessions for the tests of reports: a document's clauses, runs with their evidence, and what
// the profile wanted. Nothing in it ran anywhere, and nothing outside tests uses it.
package example

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tahanuji/reports"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// Digest of the made-up document.
const Digest = "5f1d6a0c3f0e4b8f9c2a7d1e6b5a4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b"

// Document is as much of a document as a report reads.
func Document() *contract.Document {
	return &contract.Document{ID: "sensor-suhu", Digest: Digest, Envelope: contract.Envelope{ID: "/event_id"}}
}

var wire = []string{"none", "produce-refused", "produce-ack-lost", "produce-late-copy", "commit-refused", "commit-ack-lost", "role-killed", "node-down"}

// Clauses of the made-up document.
func Clauses() []contract.Clause {
	clause := func(id contract.ID, source, text string, faults ...string) contract.Clause {
		return contract.Clause{ID: id, Level: contract.Required, Text: text, Source: source, Faults: faults}
	}
	advisory := clause("lag.bound", "/groups/perekap/lag", "Both groups stay under the bound outside faults and return under it after them.", "none", "node-down", "burst-input")
	advisory.Level = contract.Advisory
	return []contract.Clause{
		clause("topic.partitions", "/topics/m8-suhu-kejadian/partitions", "The live topic has three partitions.", "none"),
		clause("topic.key", "/topics/m8-suhu-kejadian/key", "Every record's key equals its id_perangkat, and one device stays in one partition.", "none", "produce-ack-lost", "role-killed"),
		clause("group.full-stream", "/groups/perekap", "Each group receives the whole stream of its topic.", "none", "member-joins", "role-killed"),
		clause("schema.valid-only", "/payloads/suhu-terbaca", "Every record in a topic validates; an invalid input is refused with the fields named and never sent.", "none", "invalid-input"),
		clause("delivery.no-loss", "/flows/rekam", "Every event acknowledged to the source is in the topic and counted once it is due.", wire...),
		clause("producer.acks-all", "/flows/rekam/producer/acks", "The recorder's producer asks all replicas to acknowledge.", "none"),
		clause("order.device", "/topics/m8-suhu-kejadian/key", "Per device, readings are in the topic in the order in which the source sent them.", "none", "produce-refused", "produce-ack-lost"),
		clause("count.once", "/flows/hitung/dedupe", "A summary's count is the number of distinct event ids of that device and hour.", append(slices.Clone(wire), "duplicate-sends", "reordered-input")...),
		clause("commit.after-store", "/flows/hitung/commit", "No committed offset lies past an event that is not stored.", "none", "commit-refused", "commit-ack-lost", "role-killed"),
		clause("summary.same-value", "/flows/rangkum/same-value", "Two publications over the same set of events are byte for byte equal.", "none", "role-killed", "replayed"),
		clause("display.last-value", "/flows/tampilkan/view", "What is shown is the last published value per device and hour.", "none", "role-killed"),
		advisory,
		clause("replay.window", "/replay", "An event as old as the window can still be replayed.", "none"),
		clause("capacity.arithmetic", "/capacity", "The document's own numbers agree with each other and with the measured size.", "none"),
	}
}

// Faults in the order of the columns.
func Faults() []string {
	return []string{"produce-refused", "produce-ack-lost", "produce-late-copy", "commit-refused", "commit-ack-lost", "role-killed", "node-down",
		"member-joins", "duplicate-sends", "reordered-input", "invalid-input", "burst-input", "replayed"}
}

// Flaws, each with the clause that it must break.
func Flaws() map[string]contract.ID {
	return map[string]contract.ID{"commit-before-store": "commit.after-store", "no-dedupe": "count.once", "acks-1": "producer.acks-all",
		"key-random": "topic.key", "no-validation": "schema.valid-only"}
}

// Environment of the made-up session.
func Environment() reports.Environment {
	return reports.Environment{
		Setting: reports.Setting{System: "sensor", Sut: "reference", Broker: "embedded", Profile: "smoke", Seed: "42",
			Repeat: "go tool ginkgo ./scenarios -- -profile smoke -seed 42",
			Lacks:  map[string]string{"retention": "the embedded broker does not enforce retention.ms"}},
		Begun: time.Date(2026, 11, 7, 8, 30, 0, 0, time.UTC), Took: 41 * time.Second,
		Versions: map[string]string{"franz-go": "v1.22.3", "kfake": "v0.0.0-20260918"}, Go: "go1.26.8", OS: "linux", Arch: "amd64", CPUs: 2,
		Faults: Faults(),
	}
}

// Wanted cells: one for each fault, and one for each flaw.
func Wanted() []reports.Wanted {
	var out []reports.Wanted
	for _, f := range append([]string{reports.NoFault}, Faults()...) {
		w := reports.Wanted{Cell: cell(f, ""), Clauses: judgedUnder(f)}
		if f != reports.NoFault {
			w.Faults = []string{f}
		}
		out = append(out, w)
	}
	for _, flaw := range slices.Sorted(maps.Keys(Flaws())) {
		id := Flaws()[flaw]
		out = append(out, reports.Wanted{Cell: cell("none", flaw), Flaw: flaw, Expected: []contract.ID{id}})
	}
	return out
}

// Runs of the made-up session: all that is wanted, all well, each flaw caught.
func Runs() []reports.Run {
	var out []reports.Run
	for _, f := range append([]string{reports.NoFault}, Faults()...) {
		out = append(out, Run(f, ""))
	}
	for _, flaw := range slices.Sorted(maps.Keys(Flaws())) {
		id := Flaws()[flaw]
		r := Run(reports.NoFault, flaw)
		r.Expected = []contract.ID{id}
		Break(&r, id, fmt.Sprintf("the flaw %s shows: 3 events of sensor-07 are touched", flaw), "")
		out = append(out, r)
	}
	return out
}

// Run makes one run in which each clause that names the fault holds.
func Run(fault, flaw string) reports.Run {
	r := reports.Run{
		Cell: cell(fault, flaw), System: "sensor", Scenario: fault, Doc: "The usual day of twenty sensors, under " + fault + ".",
		Broker: "embedded", Sut: "reference", Flaw: flaw, Faults: []string{}, Seed: fmt.Sprint(9007199254740993 + uint64(len(fault))),
		Document: Digest, Complete: true, Acted: []target.Acted{}, Took: 310 * time.Millisecond, Events: 240,
		Base: "2026-11-07T08:30:00Z", Repeat: "go run . run -scenario " + fault + " -seed 42",
		Covered: map[string]int{"windows": 60, "boundary": 12, "late": 7, "duplicate-now": 9, "duplicate-after-window": 3},
		Moments: map[string]int{"Produce rekam": 122, "Produce hitung": 61, "Fetch hitung": 160, "OffsetCommit hitung": 44, "Fetch tampilkan": 80, "Heartbeat hitung": 21},
	}
	if flaw != "" {
		r.Repeat += " -flaw " + flaw
	}
	if fault != reports.NoFault {
		r.Faults = []string{fault}
		r.Acted = []target.Acted{{Step: fault + " 1", Fault: fault, Matched: 1, Count: 1, What: []string{Deed(fault)}}}
	}
	for _, id := range judgedUnder(fault) {
		v := check.Verdict{Clause: id, Outcome: check.Holds, Why: "240 events examined", Examined: 240}
		if id == "replay.window" {
			v = check.Verdict{Clause: id, Outcome: check.NotApplicable, Why: "the embedded broker does not enforce retention.ms"}
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	slices.SortFunc(r.Verdicts, func(a, b check.Verdict) int { return strings.Compare(string(a.Clause), string(b.Clause)) })
	return r
}

// Deed says what a fault did.
func Deed(fault string) string {
	return fault + ": the request that carries event:17 of rekam/1 was applied at m8-suhu-kejadian/2 offset 11, and the client heard nothing"
}

// Break makes a run's clause broken.
func Break(r *reports.Run, id contract.ID, why, cause string) {
	Set(r, check.Verdict{Clause: id, Outcome: check.Broken, Why: why, Examined: 240, Found: 3, Cause: cause})
}

// Set replaces the run's verdict on a clause, or adds it.
func Set(r *reports.Run, v check.Verdict) {
	at, ok := slices.BinarySearchFunc(r.Verdicts, v.Clause, func(x check.Verdict, id contract.ID) int { return strings.Compare(string(x.Clause), string(id)) })
	if ok {
		r.Verdicts[at] = v
		return
	}
	r.Verdicts = slices.Insert(r.Verdicts, at, v)
}

func cell(fault, flaw string) string {
	id := "sensor/" + fault + "/embedded"
	if flaw != "" {
		id += "/flaw-" + flaw
	}
	return id
}

func judgedUnder(fault string) []contract.ID {
	var out []contract.ID
	for _, c := range Clauses() {
		if slices.Contains(c.Faults, fault) {
			out = append(out, c.ID)
		}
	}
	return out
}
