package sensor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
)

// What a summarizer without flaws never does.

// spoiling is the memory of flaws.
type spoiling struct {
	ids     map[string]bool          // dedupe-in-memory
	skip    map[port.Partition]bool  // skip-poison-silently: the next record, too
	halted  map[port.Partition]bool  // poison-stalls, quiet-member
	fresh   map[port.Partition]bool  // quiet-member: assigned, nothing read yet
	handled map[port.Partition]int64 // late-commit-rewinds
	stale   map[port.Partition]int64
	rounds  int
	drawn   int
}

func newSpoiling() spoiling {
	return spoiling{ids: map[string]bool{}, skip: map[port.Partition]bool{}, halted: map[port.Partition]bool{},
		fresh: map[port.Partition]bool{}, handled: map[port.Partition]int64{}, stale: map[port.Partition]int64{}}
}

// errPoison ends a role that can't bear a broken record.
var errPoison = errors.New("a broken record")

// spoil does to a polled batch what the flaws want, before it is stored.
func (s *Summarizer) spoil(ctx context.Context, b port.Batch, events []event) ([]event, error) {
	for _, ps := range [][]port.Partition{b.Revoked, b.Lost, b.Assigned} {
		for _, p := range ps {
			delete(s.spoiling.halted, p)
			delete(s.spoiling.skip, p)
		}
	}
	for _, p := range b.Assigned {
		s.spoiling.fresh[p] = true
	}
	kept := events[:0]
	for _, e := range events {
		p := port.Partition{Topic: e.at.Topic, Partition: e.at.Partition}
		if s.flaws.Has(PoisonEndsRole) && e.poison != "" {
			return nil, fmt.Errorf("summarizer: %s/%d offset %d: %w: %s", p.Topic, p.Partition, e.at.Offset, errPoison, e.poison)
		}
		s.halt(p, &e)
		if s.spoiling.halted[p] {
			continue
		}
		if s.flaws.Has(SkipPoisonSilently) {
			e.skipped = e.poison != "" || s.spoiling.skip[p]
			s.spoiling.skip[p] = e.poison != ""
		}
		kept = append(kept, e)
	}
	if s.flaws.Has(LateCommitRewinds) {
		return kept, s.rewind(ctx, b, kept)
	}
	if s.flaws.Has(CommitBeforeStore) {
		for _, e := range kept {
			s.next[port.Partition{Topic: e.at.Topic, Partition: e.at.Partition}] = e.at.Offset + 1
		}
		if len(s.next) > 0 {
			return kept, s.commitNow(ctx)
		}
	}
	return kept, nil
}

// halt stops a partition for poison-stalls at the broken record, for quiet-member at the first record of a partition that
// somebody else had before.
func (s *Summarizer) halt(p port.Partition, e *event) {
	quiet := s.flaws.Has(QuietMember) && s.spoiling.fresh[p] && e.at.Offset > 0 && len(s.spoiling.halted) == 0
	delete(s.spoiling.fresh, p)
	if quiet || s.flaws.Has(PoisonStalls) && e.poison != "" {
		s.spoiling.halted[p] = true
		s.consumer.Pause(p)
	}
}

// rewind commits old offsets of partitions that went to another member, some rounds after the hand-over.
func (s *Summarizer) rewind(ctx context.Context, b port.Batch, events []event) error {
	const rounds = 5
	for _, p := range b.Revoked {
		if offset, ok := s.spoiling.handled[p]; ok {
			s.spoiling.stale[p], s.spoiling.rounds = offset, 0
		}
	}
	for _, e := range events {
		s.spoiling.handled[port.Partition{Topic: e.at.Topic, Partition: e.at.Partition}] = e.at.Offset
	}
	s.spoiling.rounds++
	if len(s.spoiling.stale) == 0 || s.spoiling.rounds < rounds {
		return nil
	}
	err := s.consumer.Commit(ctx, maps.Clone(s.spoiling.stale))
	if err == nil {
		clear(s.spoiling.stale)
	} else if ended(ctx, err) {
		return err
	}
	return nil
}

// warp changes a row after an event was taken in.
func (s *Summarizer) warp(row *fold.Row, e *event) {
	if row.Floats == nil {
		row.Floats = make([]float64, len(row.Values))
	}
	for i, a := range s.read.into {
		f, err := strconv.ParseFloat(e.numbers[i], 64)
		if err != nil {
			continue
		}
		row.Floats[i] += f
		if a.Op == fold.Max && s.flaws.Has(MaxIsLast) {
			row.Values[i].Num = e.numbers[i]
		}
	}
}

// cutOff is the mean of floats, cut off after its decimals.
func cutOff(row *fold.Row, i int, a fold.Aggregate) string {
	if i >= len(row.Floats) || row.Values[i].N == 0 {
		return ""
	}
	decimals := max(a.Decimals, 0)
	unit := math.Pow10(decimals)
	mean := math.Floor(row.Floats[i] / float64(row.Values[i].N) * unit)
	return strconv.FormatFloat(mean/unit, 'f', decimals, 64)
}
