// Package sensor holds the three roles of an event system on Kafka: a recorder, a summarizer and a display. They are
// sequential cores behind the small port of package port; what they read, write, fold and show comes from a Config, and
// Default is the sensor system's. The package opens no connection, starts no goroutine and judges nothing.
package sensor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"
)

// Config is what a document says, as far as the roles need it.
type Config struct {
	Events    Topic    `json:"events"`    // written by the recorder, read by the summarizer
	Summaries Topic    `json:"summaries"` // written by the summarizer, read by the display
	Envelope  Envelope `json:"envelope"`
	// SummaryType is the event type of summaries.
	SummaryType     string `json:"summaryType"`
	SummarizerGroup string `json:"summarizerGroup"`
	DisplayGroup    string `json:"displayGroup"`
	// RecorderProducer and SummarizerProducer are what the flows demand.
	RecorderProducer   port.ProducerConfig `json:"recorderProducer"`
	SummarizerProducer port.ProducerConfig `json:"summarizerProducer"`
	Fold               fold.Config         `json:"fold"`
	// OverwriteKey names the fields of a summary whose last value counts: Fold.By's, in an order of its own, and the window's.
	OverwriteKey []payload.Pointer `json:"overwriteKey"`
	Dedupe       Dedupe            `json:"dedupe"`
	Timing       Timing            `json:"timing"`
	// MaxBytes is the longest record that the recorder takes; 0: 900,000.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// Topic is one topic: its name, where the record's key comes from, what its records look like.
type Topic struct {
	Name    string          `json:"name"`
	Key     payload.Pointer `json:"key"` // "" for records without a key
	Payload payload.Config  `json:"payload"`
}

// Envelope names the places of the metadata that each record carries. Type and Time may be "" when records have none.
type Envelope struct {
	ID   payload.Pointer `json:"id"`
	Type payload.Pointer `json:"type"`
	Time payload.Pointer `json:"time"`
	Data payload.Pointer `json:"data"`
	// TimeAs is the form of the time; "" is fold.Time.
	TimeAs fold.Form `json:"timeAs,omitempty"`
}

// Dedupe recognises events by the field By. Ids are kept for Window of event time; 0 keeps them for ever.
type Dedupe struct {
	By     payload.Pointer `json:"by"`
	Window time.Duration   `json:"window"`
}

// Timing is the roles' patience. Fields that are zero are filled from DefaultTiming.
type Timing struct {
	Ready        time.Duration `json:"ready,omitempty"`        // an Accept waits so long for the recorder to have started
	AckWait      time.Duration `json:"ackWait,omitempty"`      // an Accept waits so long for the broker's answer
	Housekeeping time.Duration `json:"housekeeping,omitempty"` // the outbox is tidied so long after an answer came
	PublishWait  time.Duration `json:"publishWait,omitempty"`  // a round of the summarizer waits so long for its sends
	Poll         time.Duration `json:"poll,omitempty"`         // the longest wait of one poll
	Sweep        time.Duration `json:"sweep,omitempty"`        // how often the summarizer looks for closed windows when idle
	Claim        time.Duration `json:"claim,omitempty"`        // a publication is one member's own for so long
	Doubt        time.Duration `json:"doubt,omitempty"`        // a send whose sender is gone may still arrive for so long
	Renew        time.Duration `json:"renew,omitempty"`        // what is committed is committed again after so long
	Backoff      time.Duration `json:"backoff,omitempty"`      // pause after a failed store transaction or poll
	Close        time.Duration `json:"close,omitempty"`        // a clean stop takes at most so long
}

// DefaultTiming is for real time on one machine.
func DefaultTiming() Timing {
	return Timing{Ready: 10 * time.Second, AckWait: 500 * time.Millisecond, Housekeeping: 50 * time.Millisecond,
		PublishWait: 2 * time.Second, Poll: 250 * time.Millisecond, Sweep: 500 * time.Millisecond, Claim: time.Second,
		Doubt: 5 * time.Second, Renew: time.Second,
		Backoff: 50 * time.Millisecond, Close: 5 * time.Second}
}

func (t Timing) filled() Timing {
	d := DefaultTiming()
	for _, f := range []struct {
		has *time.Duration
		use time.Duration
	}{{&t.Ready, d.Ready}, {&t.AckWait, d.AckWait}, {&t.Housekeeping, d.Housekeeping}, {&t.PublishWait, d.PublishWait},
		{&t.Poll, d.Poll}, {&t.Sweep, d.Sweep}, {&t.Claim, d.Claim}, {&t.Doubt, d.Doubt}, {&t.Renew, d.Renew}, {&t.Backoff, d.Backoff}, {&t.Close, d.Close}} {
		if *f.has == 0 {
			*f.has = f.use
		}
	}
	return t
}

const defaultMaxBytes = 900_000

// maxPoll is how many records one transaction of the summarizer takes in at most.
const maxPoll = 500

// checked fills in what is left out and refuses what no role can work with.
func (c Config) checked() (Config, error) {
	c.Timing = c.Timing.filled()
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.Envelope.TimeAs == "" {
		c.Envelope.TimeAs = fold.Time
	}
	if c.Dedupe.By == "" {
		c.Dedupe.By = c.Envelope.ID
	}
	switch {
	case c.Events.Name == "" || c.Summaries.Name == "":
		return c, errors.New("config: both topics need a name")
	case c.Envelope.ID == "":
		return c, errors.New("config: the envelope needs a place for the id")
	case len(c.OverwriteKey) != len(c.Fold.By)+1:
		return c, fmt.Errorf("config: overwrite-key has %d fields, want the %d of the fold and the window", len(c.OverwriteKey), len(c.Fold.By))
	}
	return c, nil
}

// summaryBy is where the fold's by-fields stand in a summary: a field of the same name where overwrite-key has it; the others take
// what is left of overwrite-key, in order.
func (c Config) summaryBy() ([]payload.Pointer, error) {
	left := slices.DeleteFunc(slices.Clone(c.OverwriteKey), func(p payload.Pointer) bool { return p == c.Fold.Window.Into })
	if len(left) != len(c.Fold.By) {
		return nil, fmt.Errorf("config: overwrite-key lacks the window's field %q", c.Fold.Window.Into)
	}
	out := make([]payload.Pointer, len(c.Fold.By))
	for i, by := range c.Fold.By {
		if at := slices.Index(left, by); at >= 0 {
			out[i], left = by, slices.Delete(left, at, at+1)
		}
	}
	for i := range out {
		if out[i] == "" {
			out[i], left = left[0], left[1:]
		}
	}
	return out, nil
}

// Position is a place in a topic.
type Position struct {
	Topic     string
	Partition int32
	Offset    int64
}

// Hooks let somebody watch a summarizer's store. Each may be nil.
type Hooks struct {
	// Storing is called before a transaction that takes these events in, Stored after it committed; ids and positions
	// have the same length, duplicates are among them.
	Storing, Stored func(ids []string, at []Position)
}
