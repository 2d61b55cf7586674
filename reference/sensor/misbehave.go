package sensor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"

	"github.com/tidwall/gjson"
)

// What roles without flaws never do: first the recorder's deviations, then the summarizer's.

func (r *Recorder) producerConfig() port.ProducerConfig {
	c := r.c.RecorderProducer
	if r.flaws.Has(Acks1) {
		// An idempotent producer needs acks=all.
		c = port.ProducerConfig{Acks: 1}
	}
	if r.flaws.Has(NotIdempotent) {
		c.Idempotent = false
	}
	return c
}

// misbehave changes the topics at the start.
func (r *Recorder) misbehave(ctx context.Context) error {
	name := r.c.Events.Name
	if r.flaws.Has(ExtraTopic) {
		if err := r.port.CreateTopic(ctx, name+"-salinan", 1); err != nil {
			return fmt.Errorf("recorder: extra topic: %w", err)
		}
	}
	var change port.TopicChange
	if r.flaws.Has(RetentionShort) {
		change.Config = map[string]string{"retention.ms": strconv.FormatInt(time.Hour.Milliseconds(), 10)}
	}
	if r.flaws.Has(CleanupCompact) {
		change.Config = map[string]string{"cleanup.policy": "compact"}
	}
	if r.flaws.Has(ExtraPartition) {
		change.Partitions = -1 // one more than there are
	}
	if change.Partitions == 0 && change.Config == nil {
		return nil
	}
	if err := r.port.AlterTopic(ctx, name, change); err != nil {
		return fmt.Errorf("recorder: alter %s: %w", name, err)
	}
	return nil
}

// sendable says whether a broken event can be sent at all.
func sendable(raw []byte) bool { return gjson.ValidBytes(raw) }

// again says whether an id came before, for new-event-id-on-resend.
func (r *Recorder) again(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	had := r.seen[id]
	r.seen[id] = true
	return had
}

// renamed is the event under a new id.
func (r *Recorder) renamed(raw []byte) ([]byte, string) {
	r.mu.Lock()
	r.sent++
	n := r.sent
	r.mu.Unlock()
	old := r.id.Get(raw)
	id := fold.DerivedID("renamed", old.Raw, strconv.FormatUint(n, 10), strconv.FormatInt(r.port.Now().UnixNano(), 10))
	if old.Index == 0 {
		return raw, id
	}
	out := append([]byte{}, raw[:old.Index]...)
	out = append(out, fold.Quote(id)...)
	return append(out, raw[old.Index+len(old.Raw):]...), id
}

func (r *Recorder) randomKey() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	return []byte(fold.DerivedID("key", strconv.FormatUint(r.sent, 10))[:8])
}

// copied sends the first event once more under another id, for invents-event.
func (r *Recorder) copied(ctx context.Context, it *item) {
	if !r.flaws.Has(InventsEvent) || it.row != rowName(1) {
		return
	}
	invented := it.record
	invented.Value, _ = r.renamed(it.record.Value)
	r.producer.Send(ctx, invented)
}

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
