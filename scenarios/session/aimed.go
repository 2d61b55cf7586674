package session

import (
	"errors"

	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

// unaimed says why a scenario has nothing to take hold of in this document, such as a summarizer's commit where nothing is folded;
// "" when it has. It is tried on a load like those of the cells.
func (s *Session) unaimed(sc scenario.Scenario) string {
	if s.sample == nil {
		return ""
	}
	_, err := sc.Steps(s.Doc, s.sample, s.Seed)
	if err == nil {
		return ""
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return "this scenario has nothing to take hold of here: " + err.Error()
}

// makeSample makes the events that scenarios are tried on. A document that nobody can make events for is refused now, and not run
// by run.
func (s *Session) makeSample(at Edge) (err error) {
	o := workload.Options{Seed: s.Seed, Base: at.Now.UTC()}
	if s.sample, err = workload.Make(s.Doc, o); err != nil {
		return refuse("%s: %v", s.Doc.File, err)
	}
	for _, f := range s.Doc.Flows {
		if f.Kind != contract.Recorder || f.Writes == s.sample.Topic || s.Doc.Workload.From == "file" {
			continue
		}
		o.Flow = f.Name
		if _, err := workload.Make(s.Doc, o); err != nil {
			return refuse("%s: %v", s.Doc.File, err)
		}
	}
	return nil
}
