package sensor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/payload"

	"github.com/tidwall/gjson"
)

// Answer is what the source hears. Recorded: the promise begins; Refused: every wrong field, and nothing was kept; Err:
// neither, it may or may not have happened.
type Answer struct {
	Recorded bool
	EventID  string
	// Partition and Offset hold when HasPosition is set: the broker answered within Timing.AckWait. Otherwise the event
	// is in the outbox and will be sent.
	Partition   int32
	Offset      int64
	HasPosition bool
	Refused     []payload.Refusal
	Err         error
}

// Recorder checks events, keeps them in a durable outbox, and sends them in the order of their acceptance. Accept may be
// called by several callers at once; Run must be running.
type Recorder struct {
	port  port.Port
	c     Config
	flaws Flaws
	check *payload.Checker
	id    payload.Path
	key   payload.Path
	idAt  int // places of both among the values that the checker notes
	keyAt int
	ready port.Signal

	store port.Store
	ctx   context.Context // Run's: what is kept and sent must not end with the caller of Accept

	mu       sync.Mutex // guards what follows; never held across a call of the port
	producer port.Producer
	queue    []*item
	spare    []*item
	busy     bool // somebody empties the queue
	acked    []string
	late     []*item          // answered without a position: Run looks after them
	latest   map[string]*item // of each key, the last of those
	stuck    bool             // the client gave a record up: what comes after it waits until it is sent anew
	wake     port.Signal
	next     uint64
	sent     uint64
	seen     map[string]bool // ids, for flaws alone
}

// item is one event on its way: outbox row, send, answer.
type item struct {
	row     string
	id      string
	record  port.Record
	promise port.Promise
	err     error
	done    port.Signal // nil when the caller empties the queue itself
	lead    bool        // its caller empties the queue from now on
	gone    bool        // its caller waits no more
	held    bool        // not sent yet: an earlier one has to be sent anew first
	kept    bool        // it was held, and Run looks after it
}

// errNotReady says that the recorder had not started within Timing.Ready.
var errNotReady = errors.New("recorder: not ready")

// NewRecorder checks the configuration. It opens nothing before Run.
func NewRecorder(p port.Port, c Config, flaws Flaws) (*Recorder, error) {
	c, err := c.checked()
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	r := &Recorder{port: p, c: c, flaws: flaws, ready: p.NewSignal(), wake: p.NewSignal(), seen: map[string]bool{}, latest: map[string]*item{}}
	if r.check, err = payload.NewChecker(c.Events.Payload); err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	if r.id, err = payload.Compile(c.Envelope.ID); err != nil {
		return nil, fmt.Errorf("recorder: envelope id: %w", err)
	}
	if r.key, err = payload.Compile(c.Events.Key); err != nil {
		return nil, fmt.Errorf("recorder: key: %w", err)
	}
	r.idAt, r.keyAt = r.check.Watch(r.id), r.check.Watch(r.key)
	return r, nil
}

// Ready says whether events are taken.
func (r *Recorder) Ready() bool { return r.ready.Wait(context.Background(), 0) == nil }

// Accept takes one event. It blocks until the event is kept and the broker answered or Timing.AckWait is over.
func (r *Recorder) Accept(ctx context.Context, raw []byte) Answer {
	seen := make([]gjson.Result, 0, 4)
	refused, seen := r.refusals(raw, seen)
	after := r.flaws.Has(ValidationAfterSend) && len(refused) > 0 && sendable(raw)
	if len(refused) > 0 && !after {
		return Answer{Refused: refused}
	}
	if err := r.ready.Wait(ctx, r.c.Timing.Ready); err != nil {
		return Answer{Err: fmt.Errorf("%w: %w", errNotReady, err)}
	}
	it := r.item(raw, seen[r.idAt], seen[r.keyAt])
	if err := r.put(ctx, it); err != nil {
		return Answer{EventID: it.id, Err: err}
	}
	if after {
		r.leave(it)
		return Answer{Refused: refused}
	}
	return r.answer(ctx, it)
}

// refusals says what is wrong with an event, and notes its id and key.
func (r *Recorder) refusals(raw []byte, seen []gjson.Result) ([]payload.Refusal, []gjson.Result) {
	if len(raw) > r.c.MaxBytes {
		return []payload.Refusal{{Why: fmt.Sprintf("the record has %d bytes, more than %d", len(raw), r.c.MaxBytes)}}, nil
	}
	refused, seen := r.check.Judge(raw, seen)
	if len(refused) > 0 && r.flaws.Has(NoValidation) && sendable(raw) {
		return nil, seen
	}
	if len(refused) == 0 {
		for _, at := range []struct {
			path  payload.Path
			value gjson.Result
		}{{r.id, seen[r.idAt]}, {r.key, seen[r.keyAt]}} {
			if at.path.Pointer() == "" {
				continue // the topic's records have no key
			}
			if !at.value.Exists() || payload.Text(at.value) == "" {
				refused = append(refused, payload.Refusal{Field: at.path.Pointer(), Why: "the field is missing or empty"})
			}
		}
	}
	if r.flaws.Has(FirstFieldOnly) && len(refused) > 1 {
		return refused[:1], seen
	}
	return refused, seen
}

// item makes the record. The value is the source's own bytes.
func (r *Recorder) item(raw []byte, id, key gjson.Result) *item {
	it := &item{id: payload.Text(id)}
	if r.flaws.Has(NewEventIDOnResend) && r.again(it.id) {
		raw, it.id = r.renamed(raw)
	}
	it.record = port.Record{Topic: r.c.Events.Name, Key: r.keyOf(key), Value: raw}
	return it
}

func (r *Recorder) keyOf(key gjson.Result) []byte {
	if r.flaws.Has(KeyMissing) || r.c.Events.Key == "" {
		return nil
	}
	if r.flaws.Has(KeyRandom) {
		return r.randomKey()
	}
	return []byte(payload.Text(key))
}

// put keeps an item and sends it. Whoever comes first empties the queue for all who come meanwhile, in one transaction.
func (r *Recorder) put(ctx context.Context, it *item) error {
	r.mu.Lock()
	r.queue = append(r.queue, it)
	if r.busy {
		it.done = r.port.NewSignal()
		r.mu.Unlock()
		err := it.done.Wait(ctx, r.c.Timing.Ready)
		r.mu.Lock()
		lead := it.lead
		it.gone = err != nil
		sent := it.promise != nil && !it.kept
		r.mu.Unlock()
		if it.gone && sent && !lead {
			r.leave(it)
		}
		if lead { // whatever became of the wait: the others rely on it
			r.empty(r.ctx)
			return it.err
		}
		if err != nil {
			return fmt.Errorf("recorder: outbox: %w", err)
		}
		return it.err
	}
	r.busy = true
	r.mu.Unlock()
	r.empty(r.ctx)
	return it.err
}

// answer waits a short time for the broker.
func (r *Recorder) answer(ctx context.Context, it *item) Answer {
	a := Answer{Recorded: true, EventID: it.id}
	if r.flaws.Has(OutboxInMemory) {
		r.leave(it)
		return a
	}
	if it.kept {
		return a
	}
	ack, err := it.promise.Wait(ctx, r.c.Timing.AckWait)
	if errors.Is(err, port.ErrGone) {
		return Answer{EventID: it.id, Err: err}
	}
	if err != nil {
		// The outbox is durable: the promise holds without a position.
		r.stick(ctx, err)
		r.leave(it)
		return a
	}
	r.settled(it)
	a.Partition, a.Offset, a.HasPosition = ack.Partition, ack.Offset, true
	if r.flaws.Has(WrongAck) {
		a.Offset++
	}
	return a
}

// leave hands an item over to Run.
func (r *Recorder) leave(it *item) {
	r.mu.Lock()
	r.late = append(r.late, it)
	r.latest[string(it.record.Key)] = it
	wake := r.wake
	r.mu.Unlock()
	wake.Raise()
}

// stick holds back what comes from now on, when the client gave a record up: a source that hears "recorded" sends the next event of
// its key, and that must not overtake.
func (r *Recorder) stick(ctx context.Context, err error) {
	if errors.Is(err, port.ErrWaiting) || ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	r.stuck = true
	r.mu.Unlock()
}

// settled marks an item's outbox row for deletion.
func (r *Recorder) settled(it *item) {
	r.mu.Lock()
	r.acked = append(r.acked, it.row)
	wake := r.wake
	r.mu.Unlock()
	wake.Raise()
}

// Run opens the outbox, resends what an earlier life left in it, and then looks after late answers until ctx ends or the
// role is gone. A clean stop waits for open answers, up to Timing.Close.
func (r *Recorder) Run(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	defer func() { _ = r.store.Close() }() // what was committed stays; nothing else is to be saved
	for {
		err := r.recover(ctx)
		if err == nil {
			break
		}
		if ended(ctx, err) {
			return r.stop(err)
		}
		if err := r.port.Sleep(ctx, r.c.Timing.Backoff); err != nil {
			return r.stop(err)
		}
	}
	return r.stop(r.tend(ctx))
}

func (r *Recorder) open(ctx context.Context) (err error) {
	r.ctx = ctx
	if r.store, err = r.port.OpenStore(ctx, false); err != nil {
		return fmt.Errorf("recorder: open the outbox: %w", err)
	}
	if r.producer, err = r.port.NewProducer(ctx, r.producerConfig()); err != nil {
		return fmt.Errorf("recorder: producer: %w", err)
	}
	return r.misbehave(ctx)
}

// stop ends a run: a context that ended is a clean stop.
func (r *Recorder) stop(err error) error {
	if errors.Is(err, port.ErrGone) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), r.c.Timing.Close)
	defer cancel()
	r.current().Close(ctx)
	r.look(ctx, 0)
	// What stays in the outbox is sent by the next life.
	if tidied := r.tidy(ctx); tidied != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("recorder: stop: %w", tidied)
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ended says whether an error means that a role's life is over.
func ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, port.ErrGone)
}

// rowName orders rows by their number: 20 digits.
func rowName(n uint64) string {
	var digits [20]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = '0' + byte(n%10)
		n /= 10
	}
	return string(digits[:])
}

// idle is the longest wait for a wake-up: it only bounds how long a forgotten wake-up could last.
const idle = time.Hour
