package groups

import (
	"fmt"
	"maps"
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// FullStream: what the members of a group fetched covers every partition of its topics from the first record to the last, and each
// role joins no other group than the document gives it: two roles in one group share a stream that each should have whole. Where
// the wire shows no Fetch, the committed offset tells: it is behind the last record only if the stream was read to its end.
var FullStream = check.One("group.full-stream", "Each group receives the whole stream of each of its topics.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		for _, r := range readers(ix) {
			stretches := fetched(in, r)
			for _, topic := range r.reads {
				for _, p := range partitions(ix, topic, history.ScanRest) {
					if topic.Ends[p.Partition] == 0 {
						continue
					}
					if stretches != nil {
						t.Look(1)
						if missing := gap(stretches[p], topic.In(p.Partition)); missing != nil {
							t.Find(func() check.Finding { return unread(topic, r, p, missing.Offset, "no member fetched") })
						}
						continue
					}
					e := ix.Committed[history.ScanRest][check.GroupPartition{Group: r.group, Partition: p}]
					if e == nil || e.Where.Offset < 0 && !r.commits() {
						continue
					}
					t.Look(1)
					if e.Where.Offset < topic.Ends[p.Partition] {
						t.Find(func() check.Finding {
							return unread(topic, r, p, max(e.Where.Offset, topic.Starts[p.Partition]), "no commit covers")
						})
					}
				}
			}
		}
		joined(in, t)
		return t.Verdict(fmt.Sprintf("in %d places the groups read their whole streams, each role in its own group", t.Examined()), "neither a Fetch nor a committed offset was seen")
	})

func unread(topic *check.Topic, r *reader, p check.Partition, at int64, how string) check.Finding {
	f := check.Finding{Text: fmt.Sprintf("%s did not receive %s/%d whole: %s offset %d of %d", r.group, p.Topic, p.Partition, how, at, topic.Ends[p.Partition])}
	if record := topic.At(p.Partition, at); record != nil {
		f.Witness = []history.Seq{record.Event.Seq}
		if label := record.Label(); label != "" {
			f.Labels = []string{label}
			f.Text += ", which is " + label
		}
	}
	return f
}

// joined finds roles that join a group which the document gives to others. A group that the document does not know is a role's own.
func joined(in *check.Input, t *check.Tally) {
	owners := map[string][]string{}
	for _, f := range in.Doc.Flows {
		if f.Group != "" && !slices.Contains(owners[f.Group], f.Role) {
			owners[f.Group] = append(owners[f.Group], f.Role)
		}
	}
	wrong := map[string]*check.Finding{}
	seen := map[string]bool{}
	for i := range in.History.Ledger {
		x := &in.History.Ledger[i]
		role := check.RoleOf(x.Door)
		if (x.API != "JoinGroup" && x.API != "ConsumerGroupHeartbeat") || owners[x.Group] == nil || !reads(in.Doc, role) {
			continue
		}
		key := role + " " + x.Group
		if !seen[key] {
			seen[key] = true
			t.Look(1)
		}
		if slices.Contains(owners[x.Group], role) || wrong[key] != nil {
			continue
		}
		wrong[key] = &check.Finding{
			Text:      fmt.Sprintf("%s joined %s, the group of %s, and so takes part of the stream that group should have whole", role, x.Group, owners[x.Group][0]),
			Exchanges: []int64{x.Seq},
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wrong)) {
		t.Find(func() check.Finding { return *wrong[key] })
	}
}

func reads(doc *contract.Document, role string) bool {
	return slices.ContainsFunc(doc.Flows, func(f contract.Flow) bool { return f.Role == role && f.Reads != "" })
}
