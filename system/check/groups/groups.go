// Package groups judges the consumer groups: what they commit, that they go on, how far they are behind. It does not judge what the
// roles make of what they read.
package groups

import (
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// reader is one group with the flows that read through it.
type reader struct {
	group string
	flows []*contract.Flow
	reads []*check.Topic
}

// commits says that the document has the group commit.
func (r *reader) commits() bool {
	return slices.ContainsFunc(r.flows, func(f *contract.Flow) bool { return f.Commit != "" })
}

// plays says that a role plays a flow of the group.
func (r *reader) plays(role string) bool {
	return slices.ContainsFunc(r.flows, func(f *contract.Flow) bool { return f.Role == role })
}

func readers(ix *check.Index) []*reader {
	var all []*reader
	for _, f := range ix.Flows(func(f *contract.Flow) bool { return f.Group != "" && f.Reads != "" }) {
		at := slices.IndexFunc(all, func(r *reader) bool { return r.group == f.Group })
		if at < 0 {
			at = len(all)
			all = append(all, &reader{group: f.Group})
		}
		r := all[at]
		r.flows = append(r.flows, f)
		if t := ix.Topic(f.Reads); t != nil && !slices.Contains(r.reads, t) {
			r.reads = append(r.reads, t)
		}
	}
	return all
}

// partitions of a topic that a scan or a describe knows, sorted.
func partitions(ix *check.Index, t *check.Topic, scan string) []check.Partition {
	seen := map[check.Partition]bool{}
	for p := range t.Ends {
		seen[check.Partition{Topic: t.Doc.Name, Partition: p}] = true
	}
	for p := range ix.Ended[scan] {
		if p.Topic == t.Doc.Name {
			seen[p] = true
		}
	}
	out := make([]check.Partition, 0, len(seen))
	for p := range seen {
		out = append(out, p)
	}
	slices.SortFunc(out, check.ByPartition)
	return out
}
