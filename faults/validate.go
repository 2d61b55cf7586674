package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tahanuji/faults/aim"
	"tahanuji/faults/proxy/wire"
	"tahanuji/system/contract"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Moments that are no record.
const (
	Rest  = "rest"  // everything sent so far is handled and committed
	Start = "start" // every role is ready
)

// Validate says what is wrong with a plan for a document and a load, all of it: unknown faults, roles, verbs and labels, codes
// that no broker answers, names that are not unique, and moments that do not fit their actions.
func (p Plan) Validate(doc *contract.Document, l *workload.Load) error {
	var errs []error
	names := map[string]bool{}
	for i, s := range p.Steps {
		where := fmt.Sprintf("plan: step %d (%s)", i+1, s.Name)
		if s.Name == "" || names[s.Name] {
			errs = append(errs, fmt.Errorf("%s: the name is empty or stands twice", where))
		}
		names[s.Name] = true
		if _, ok := Named(s.Fault); !ok {
			errs = append(errs, fmt.Errorf("%s: %q is not in faults.All", where, s.Fault))
		}
		v := &validator{doc: doc, load: l, step: s}
		for _, err := range v.problems() {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
	}
	return errors.Join(errs...)
}

type validator struct {
	doc  *contract.Document
	load *workload.Load
	step target.Step
	errs []error
}

func (v *validator) wrong(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

func (v *validator) problems() []error {
	at, do := v.step.At, v.step.Do
	for _, role := range []string{at.Role, do.Role} {
		if role != "" && !v.hasRole(role) {
			v.wrong("role %q is not in the document", role)
		}
	}
	for _, label := range []string{at.Carries, at.Passes} {
		if label != "" && !v.known(label) {
			v.wrong("%q names no record of the load", label)
		}
	}
	if at.After != "" && at.After != Rest && at.After != Start && !v.known(at.After) {
		v.wrong("after %q: it is neither a record of the load nor %q or %q", at.After, Rest, Start)
	}
	if at.API == "" && (at.Carries != "" || at.Passes != "") {
		v.wrong("a moment that is no request carries and passes nothing")
	}
	if at.API == "" && at.After == "" {
		v.wrong("the moment is empty")
	}
	if at.Member < 0 || do.Member < 0 || v.step.Budget < 0 || do.Count < 0 {
		v.wrong("member, budget and count are not negative")
	}
	v.verb()
	return v.errs
}

func (v *validator) verb() {
	at, do := v.step.At, v.step.Do
	switch do.Do {
	case target.NotApplied:
		v.request()
		v.code(false)
	case target.Applied:
		v.request()
		v.code(true)
	case target.AckLost:
		v.request()
		v.ending("rst", "fin", "silence")
	case target.CutBefore:
		v.request()
		v.ending("rst", "fin")
	case target.Copy, target.LateCopy, target.Hold:
		v.request()
	case target.Kill, target.Stop, target.Pause:
		if at.Role == "" && do.Role == "" {
			v.wrong("it names no role")
		}
	case target.Join, target.Leave, target.StoreFail, target.StoreFull, target.StoreSlow:
		v.calm()
		if do.Role == "" {
			v.wrong("it names no role")
		}
	case target.NodeDown, target.LeaderMove, target.CoordinatorMove:
		if do.Do != target.CoordinatorMove { // which may wait for a request
			v.calm()
		}
		if of := []string{"", aim.Leader, aim.Coordinator}; !slices.Contains(of, do.Of) {
			v.wrong("of %q: known are %q", do.Of, of)
		}
	case target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst:
		v.calm()
		if e, ok := v.load.Find(at.After); !ok || !e.Valid() {
			v.wrong("%q is no valid event of the load", at.After)
		}
	case target.Poison:
		v.calm()
		if v.doc.Topic(do.Of) == nil {
			v.wrong("topic %q is not in the document", do.Of)
		}
	default:
		v.wrong("verb %q is not known", do.Do)
	}
}

func (v *validator) request() {
	if v.step.At.API == "" {
		v.wrong("%s acts on a request, and the moment names no API", v.step.Do.Do)
	}
}

func (v *validator) calm() {
	if v.step.At.API != "" {
		v.wrong("%s does not act at a request, and the moment names %s", v.step.Do.Do, v.step.At.API)
	}
}

func (v *validator) code(applied bool) {
	if err := wire.CheckCode(v.step.At.API, v.step.Do.Code, applied); err != nil {
		v.errs = append(v.errs, err)
	}
}

func (v *validator) ending(known ...string) {
	if !slices.Contains(known, v.step.Do.How) {
		v.wrong("how %q: known are %q", v.step.Do.How, known)
	}
}

func (v *validator) hasRole(name string) bool {
	return slices.ContainsFunc(v.doc.Flows, func(f contract.Flow) bool { return f.Role == name })
}

func (v *validator) known(label string) bool {
	if e, ok := v.load.Find(label); ok {
		return e.Valid()
	}
	if !strings.HasPrefix(label, "summary:") {
		return false
	}
	for _, e := range v.load.Valid() {
		for _, s := range v.load.SummariesOf(e) {
			if s.Label == label {
				return true
			}
		}
	}
	return false
}
