package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/faults"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// poisonLimit bounds the harness's own write.
const poisonLimit = 10 * time.Second

// poison writes a record of the harness itself, directly to the broker, and waits for the answer. The history names it as the
// harness's, so that it is not held against the system.
func (st *stage) poison(ctx context.Context, topic string, partition int32, key, value []byte) error {
	ctx, cancel := context.WithTimeout(ctx, poisonLimit)
	defer cancel()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(st.broker.Addrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0),
		kgo.DisableClientMetrics(), kgo.ClientID("tahanuji-harness"),
	)
	if err != nil {
		return fmt.Errorf("poison: %w", err)
	}
	defer client.Close()
	e := history.Event{Proc: "harness", Op: history.OpSend, Phase: history.Invoke, Tag: "poison", Key: "poison", Value: string(value)}
	begun := st.rec.Add(e)
	record, err := client.ProduceSync(ctx, &kgo.Record{Topic: topic, Partition: partition, Key: key, Value: value}).First()
	e.Of, e.Value = begun, ""
	if err != nil {
		e.Phase, e.Err = history.Unknown, err.Error()
		st.rec.Add(e)
		return fmt.Errorf("poison: %s/%d: %w", topic, partition, err)
	}
	e.Phase, e.Where = history.OK, &history.Position{Topic: topic, Partition: partition, Offset: record.Offset}
	st.rec.Add(e)
	return nil
}

// tell writes down what a fault did.
func (st *stage) tell(n faults.Notice) {
	e := history.Event{Op: history.OpFault, Phase: history.Invoke, Key: n.Step.Name, Tag: n.Step.Fault, Value: n.What}
	if n.Healed {
		e.Phase = history.OK
	}
	st.rec.Add(e)
}

// scaled shortens the lengths of time in a plan. The plan itself stays as it is saved.
func scaled(steps []target.Step, by float64) []target.Step {
	out := slices.Clone(steps)
	if by == 0 {
		return out
	}
	for i := range out {
		if out[i].Do.For > 0 {
			out[i].Do.For = time.Duration(float64(out[i].Do.For) * by)
		}
	}
	return out
}
