package sensor

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"

	"github.com/tidwall/gjson"
)

// What a recorder without flaws never does.

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
