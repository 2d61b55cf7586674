// Package fold is the arithmetic of summaries: windows of event time, exact aggregates, and the bytes of a summary. It
// stores and sends nothing and reads no clock.
package fold

import (
	"time"

	"tahanuji/reference/sensor/payload"
)

// Config says how summaries come out of events.
type Config struct {
	By     []payload.Pointer `json:"by"` // fields of the event that name the group
	Window Window            `json:"window"`
	// OnChange publishes a summary at every change; otherwise when its window closes.
	OnChange bool `json:"onChange,omitempty"`
	// Silence closes a window by the clock when its group has been silent for so long; 0: never.
	Silence time.Duration `json:"silence,omitempty"`
	Into    []Aggregate   `json:"into"`
}

// Window cuts event time into pieces of Size. Sizes of whole days begin at local midnight of Zone; shorter ones are aligned
// in local time from midnight, and the last one of a day ends with the day.
type Window struct {
	Of    payload.Pointer `json:"of"`
	Size  time.Duration   `json:"size"`
	Zone  string          `json:"zone"` // IANA name
	Into  payload.Pointer `json:"into"`
	As    Form            `json:"as"`
	Grace time.Duration   `json:"grace,omitempty"`
}

// Form of a time in JSON.
type Form string

// Forms: RFC 3339 in UTC, the local date, milliseconds since 1970.
const (
	Time   Form = "time"
	Date   Form = "date"
	Number Form = "number"
)

// Op is what an aggregate does.
type Op string

// Operations.
const (
	Count Op = "count"
	Sum   Op = "sum"
	Min   Op = "min"
	Max   Op = "max"
	Mean  Op = "mean"
)

// Aggregate is one field of a summary.
type Aggregate struct {
	Into     payload.Pointer `json:"into"`
	Op       Op              `json:"op"`
	Of       payload.Pointer `json:"of,omitempty"`
	Decimals int             `json:"decimals,omitempty"` // of a mean; negative: 12
}
