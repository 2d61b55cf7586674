// Package aim says what a fault is and what it aims with: it turns a document and a load into moments that name records. It
// hurts nothing; package faults carries steps out.
package aim

import (
	"fmt"
	"math/rand"
	"slices"

	"tahanuji/system/contract"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Fault is one way to hurt the system, an entry of faults.All. Its file, its entry and its column in reports have its name.
type Fault struct {
	Name string
	Doc  string // one sentence: what happens, and what the client can't tell
	// Needs are the kinds of things that it takes hold of.
	Needs []target.Kind
	// Aim draws the steps of one use of the fault. Equal generators draw equal steps. Every step names records of the load's
	// second third, so that partitions have committed offsets before it acts, or the rest. An error means that the document
	// or the load has nothing that the fault could take hold of.
	Aim func(rng *rand.Rand, on Aim) ([]target.Step, error)
}

// Aim is what a fault is aimed at.
type Aim struct {
	Doc  *contract.Document
	Load *workload.Load
	Kind contract.Kind // the kind of role whose requests, process or store is hit
	// Members is how many instances the role has; 0 counts as one.
	Members int

	part, parts int // see Part
}

// Part aims at the i-th of n pieces of the load's second third, counted from 0: steps that must not meet at one request are
// aimed at pieces of their own.
func (a Aim) Part(i, n int) Aim {
	a.part, a.parts = i, n
	return a
}

// kind is the kind of role that is hit: a document without a summarizer has another reader in its place, a display.
func (a Aim) kind() contract.Kind {
	if a.Kind == contract.Summarizer && len(a.Doc.RolesOf(contract.Summarizer)) == 0 && len(a.Doc.RolesOf(contract.Display)) > 0 {
		return contract.Display
	}
	return a.Kind
}

// Role is the name of the role that is hit: the load's own recorder, the summarizer that reads the load's topic, the display
// that reads its summaries (where there are none: the topic itself), or else the first of the kind.
func (a Aim) Role() (string, error) {
	first := ""
	summaries := a.summaryTopics()
	for _, f := range a.Doc.Flows {
		if f.Kind != a.kind() {
			continue
		}
		if first == "" {
			first = f.Role
		}
		switch a.kind() {
		case contract.Recorder:
			if f.Name == a.Load.Flow {
				return f.Role, nil
			}
		case contract.Summarizer:
			if f.Reads == a.Load.Topic {
				return f.Role, nil
			}
		case contract.Display:
			if summaries[f.Reads] || len(summaries) == 0 && f.Reads == a.Load.Topic {
				return f.Role, nil
			}
		}
	}
	if first == "" {
		return "", fmt.Errorf("aim: the document has no %s", a.Kind)
	}
	return first, nil
}

// Keeper is Role for a fault that takes hold of a store: a display keeps none.
func (a Aim) Keeper() (string, error) {
	if a.kind() == contract.Display {
		return "", fmt.Errorf("aim: the document has no role that keeps a store beside its recorder")
	}
	return a.Role()
}

func (a Aim) summaryTopics() map[string]bool {
	out := map[string]bool{}
	for _, f := range a.Doc.Flows {
		if f.Kind == contract.Summarizer && f.Writes != "" {
			out[f.Writes] = true
		}
	}
	return out
}

// Event draws a valid event of the second third of the load.
func (a Aim) Event(rng *rand.Rand) (workload.Event, error) {
	all := a.middle()
	if len(all) == 0 {
		return workload.Event{}, fmt.Errorf("aim: the load of flow %s has no event to aim at", a.Load.Flow)
	}
	return all[rng.Intn(len(all))], nil
}

// Shuffled are all valid events of the second third, in a drawn order.
func (a Aim) Shuffled(rng *rand.Rand) ([]workload.Event, error) {
	all := slices.Clone(a.middle())
	if len(all) == 0 {
		return nil, fmt.Errorf("aim: the load of flow %s has no event to aim at", a.Load.Flow)
	}
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all, nil
}

// Two draws two events of the second third, in the load's order; one event twice if there are no two.
func (a Aim) Two(rng *rand.Rand) (first, second workload.Event, err error) {
	all, err := a.Shuffled(rng)
	if err != nil {
		return first, second, err
	}
	first, second = all[0], all[min(1, len(all)-1)]
	if second.Index < first.Index {
		first, second = second, first
	}
	return first, second, nil
}

func (a Aim) middle() []workload.Event {
	all := a.Load.Valid()
	if len(all) < 3 {
		return all
	}
	all = all[len(all)/3 : 2*len(all)/3]
	if a.parts < 2 || len(all) < a.parts {
		return all
	}
	return all[a.part*len(all)/a.parts : (a.part+1)*len(all)/a.parts]
}

// Written draws the label of a record that the role writes: an event for a recorder, for a summarizer a summary that is
// published during the load.
func (a Aim) Written(rng *rand.Rand) (string, error) {
	switch a.kind() {
	case contract.Recorder:
		e, err := a.Event(rng)
		return e.Label, err
	case contract.Summarizer:
		return a.summary(rng)
	case contract.Display:
		return "", fmt.Errorf("aim: a display writes no records")
	}
	return "", fmt.Errorf("aim: %q is no kind of role", a.Kind)
}

// Read draws the label of a record that the role reads: an event for a summarizer, a summary for a display.
func (a Aim) Read(rng *rand.Rand) (string, error) {
	switch a.kind() {
	case contract.Summarizer:
		e, err := a.Event(rng)
		return e.Label, err
	case contract.Display:
		return a.shown(rng)
	case contract.Recorder:
		return "", fmt.Errorf("aim: a recorder reads no records")
	}
	return "", fmt.Errorf("aim: %q is no kind of role", a.Kind)
}

// shown draws the label of a record that the display reads: a summary, or an event where it shows the load's topic itself.
func (a Aim) shown(rng *rand.Rand) (string, error) {
	topic, err := a.ReadTopic()
	if err != nil {
		return "", err
	}
	if topic == a.Load.Topic {
		e, err := a.Event(rng)
		return e.Label, err
	}
	return a.summary(rng)
}

// summary draws a summary that an event of the second third counts in and that the load closes: the last window of a group
// stays open, and a document without folds has none.
func (a Aim) summary(rng *rand.Rand) (string, error) {
	var labels []string
	seen := map[string]bool{}
	for _, e := range a.middle() {
		if !a.Load.Closes(e) {
			continue
		}
		for _, s := range a.Load.SummariesOf(e) {
			if !seen[s.Label] {
				seen[s.Label] = true
				labels = append(labels, s.Label)
			}
		}
	}
	if len(labels) == 0 && a.parts > 1 {
		return a.Part(0, 1).summary(rng)
	}
	if len(labels) == 0 {
		return "", fmt.Errorf("aim: no window with an event of the load's second third closes, so no summary can be named")
	}
	return labels[rng.Intn(len(labels))], nil
}

// Pick draws one of several things.
func Pick[T any](rng *rand.Rand, of ...T) T { return of[rng.Intn(len(of))] }

// ReadTopic is the topic that the role reads.
func (a Aim) ReadTopic() (string, error) {
	role, err := a.Role()
	if err != nil {
		return "", err
	}
	for _, f := range a.Doc.Flows {
		if f.Role == role && f.Reads != "" {
			return f.Reads, nil
		}
	}
	return "", fmt.Errorf("aim: role %s reads no topic", role)
}
