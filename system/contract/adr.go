package contract

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tahanuji/system/contract/tree"
)

// Statuses of decisions.
const (
	Accepted   = "accepted"
	Proposed   = "proposed"
	Superseded = "superseded"
	Rejected   = "rejected"
)

// Phases of a proposal's runs, in order.
const (
	PhaseBaseline  = "baseline"  // the document as it is
	PhaseMigration = "migration" // the change is applied under load
	PhaseProposal  = "proposal"  // the document after the change
)

// adrFile is a decision's file as it was read.
type adrFile struct {
	name string // path for positions
	base string // path inside the folder, for the digest
	text []byte
}

func (r *reader) adr(file adrFile) ADR {
	a := ADR{File: file.name, Pos: Pos{File: file.name, Line: 1, Column: 1}}
	front, body, ok := frontMatter(file.text)
	if !ok {
		r.fault(a.Pos, "syntax", "the decision has no front matter", "begin the file with a line ---, the fields as YAML, and a line ---")
		return a
	}
	a.Body = body
	n, troubles := tree.ParseYAML(file.name, front, 1)
	r.troubles(troubles)
	if n == nil {
		return a
	}
	m := r.mapping(n, "adr", "the decision")
	a.ID, a.Title, a.Variant = r.text(m, "id", "the decision"), r.text(m, "title", "the decision"), r.text(m, "variant", "the decision")
	what := "decision " + a.ID
	a.Status = r.choice(m, "status", what, Proposed, Accepted, Proposed, Superseded, Rejected)
	a.Decides = r.pointers(m, "decides", what)
	a.Reasons, a.Alternatives = r.texts(m, "reasons", what), r.texts(m, "alternatives", what)
	a.Supersedes, a.SupersededBy, a.Amends = r.texts(m, "supersedes", what), r.texts(m, "superseded-by", what), r.texts(m, "amends", what)
	a.changeAt, a.places = map[Pointer]Pos{}, map[string]Pos{}
	for _, p := range m.Pairs {
		a.places[p.Name] = pos(p.At)
	}
	for _, op := range r.list(m, "change", what) {
		if r.is(op, tree.Map, "an operation of "+what+".change") {
			if path, ok := op.Get("path"); ok {
				a.changeAt[Pointer(path.Text)] = pos(op.Place)
			}
		}
	}
	if change, ok := m.Get("change"); ok && change.Kind == tree.List {
		a.Change = change.JSON()
		ops, faults := readPatch(a.Change, func(i int) Pos { return pos(change.Items[i].Place) })
		r.faults = append(r.faults, faults...)
		a.touches = touched(ops)
	}
	for _, e := range r.list(m, "expects", what) {
		x := r.mapping(e, "expectation", "an expectation of "+what)
		a.Expects = append(a.Expects, Expectation{
			Clause:  ID(r.text(x, "clause", "expectation")),
			Phase:   r.choice(x, "phase", "expectation", "", PhaseBaseline, PhaseMigration, PhaseProposal),
			Verdict: r.choice(x, "verdict", "expectation", "", "holds", "broken", "inconclusive", "not-applicable", "not-run"),
		})
	}
	for _, name := range []string{"change", "expects", "variant"} {
		if v, ok := m.Get(name); ok && a.Status != Proposed {
			r.fault(pos(v.Place), "value", fmt.Sprintf("%s has %s and is %s", what, name, a.Status), "only a proposed decision has it; an accepted one stands in the document")
		}
	}
	return a
}

// at is where a field of the front matter stands, or the file's beginning where it has none of them.
func (a *ADR) at(names ...string) Pos {
	for _, name := range names {
		if p, ok := a.places[name]; ok {
			return p
		}
	}
	return a.Pos
}

// frontMatter splits a Markdown file whose first line is ---.
func frontMatter(text []byte) (front []byte, body string, ok bool) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, "", false
	}
	if after, empty := bytes.CutPrefix(rest, []byte("---\n")); empty {
		return nil, string(after), true
	}
	front, after, ok := bytes.Cut(append(rest, '\n'), []byte("\n---\n"))
	return append(front, '\n'), strings.TrimSpace(string(after)), ok
}

// adrs reads the files and checks what they say of each other and of the document. adopted is the proposal that is taken for
// accepted, "" for none.
func (r *reader) adrs(files []adrFile, root *tree.Node, adopted string) []ADR {
	misformed := slices.ContainsFunc(r.faults, func(f Fault) bool {
		return f.Rule == "unknown-key" || f.Rule == "type" || f.Rule == "missing-key"
	})
	var all []ADR
	var ids []string
	for _, file := range files {
		a := r.adr(file)
		if other := slices.Index(ids, a.ID); other >= 0 && a.ID != "" {
			r.fault(a.at("id"), "value", fmt.Sprintf("the id %s is taken by %s", a.ID, all[other].File), "give it an id of its own")
		}
		all, ids = append(all, a), append(ids, a.ID)
	}
	adopt(all, adopted)
	for _, a := range all {
		for field, named := range map[string][]string{"supersedes": a.Supersedes, "superseded-by": a.SupersededBy, "amends": a.Amends} {
			for _, id := range named {
				if !slices.Contains(ids, id) {
					r.fault(a.at(field), "reference", fmt.Sprintf("decision %s names %s, which does not exist", a.ID, quoted(id)), known(id, ids))
				}
			}
		}
		inForce := a.Status == Accepted || a.Status == Proposed && adopted == ""
		if inForce && !misformed { // others may speak of parts that are gone; a misspelt name in the document is one fault, not two
			r.decides(a, all, root)
		}
	}
	return all
}

// decides: what a decision decides is a part of the document, or one that its own change or a later amendment makes or takes away.
func (r *reader) decides(a ADR, all []ADR, root *tree.Node) {
	for _, p := range a.Decides {
		deepest, there := root.At(p.Tokens())
		moved := slices.ContainsFunc(all, func(by ADR) bool {
			amends := by.ID == a.ID || slices.Contains(by.Amends, a.ID) && by.Status == Accepted
			return amends && slices.ContainsFunc(by.touches, func(t Pointer) bool { return t.Under(p) })
		})
		if !there && !moved {
			r.fault(a.at("decides"), "reference", fmt.Sprintf("decision %s decides %s, which the document does not have", a.ID, quoted(string(p))), nearestPointer(p, root, deepest))
		}
	}
}

// adopt accepts a proposal, and supersedes what it supersedes.
func adopt(all []ADR, id string) {
	a := find(all, func(a *ADR) bool { return a.ID == id && id != "" })
	if a == nil {
		return
	}
	a.Status = Accepted
	for _, old := range a.Supersedes {
		if o := find(all, func(o *ADR) bool { return o.ID == old }); o != nil && old != id {
			o.Status, o.SupersededBy = Superseded, append(slices.Clone(o.SupersededBy), id)
		}
	}
}

// nearestPointer says how far a pointer leads and what is there.
func nearestPointer(p Pointer, root, deepest *tree.Node) string {
	way := Pointer("")
	at := root
	for _, token := range p.Tokens() {
		next, ok := at.At([]string{token})
		if !ok {
			var names []string
			for _, pair := range deepest.Pairs {
				names = append(names, pair.Name)
			}
			return fmt.Sprintf("under %q: %s", string(way), known(token, names))
		}
		at, way = next, way.Join(token)
	}
	return "take a part of the document"
}

// decisions: reasons, alternatives, and two-sided supersession.
func (l *linter) decisions() {
	for _, a := range l.doc.ADRs {
		if len(a.Reasons) == 0 {
			l.fault(a.at("reasons", "id"), "adr-reasons", fmt.Sprintf("decision %s gives no reason", a.ID), "write down why, under reasons")
		}
		if len(a.Alternatives) == 0 {
			l.fault(a.at("alternatives", "id"), "adr-alternatives", fmt.Sprintf("decision %s names no rejected alternative", a.ID), "write down what was rejected and why, under alternatives")
		}
		if slices.Contains(slices.Concat(a.Supersedes, a.SupersededBy, a.Amends), a.ID) {
			l.fault(a.at("supersedes", "amends", "superseded-by"), "adr-self", fmt.Sprintf("decision %s supersedes or amends itself", a.ID), "remove its own id")
			continue
		}
		l.supersession(a)
	}
}

func (l *linter) supersession(a ADR) {
	for _, id := range a.Supersedes {
		old := l.doc.ADR(id)
		switch {
		case old == nil || a.Status != Accepted && a.Status != Superseded: // a proposal supersedes nothing yet
		case !slices.Contains(old.SupersededBy, a.ID):
			l.fault(old.at("superseded-by", "status"), "adr-supersedes", fmt.Sprintf("decision %s supersedes %s, which does not say so", a.ID, id), fmt.Sprintf("write superseded-by: [%s] into %s", a.ID, id))
		case old.Status != Superseded:
			l.fault(old.at("status"), "adr-supersedes", fmt.Sprintf("decision %s is superseded by %s and its status is %s", id, a.ID, old.Status), "set its status to superseded")
		}
	}
	for _, id := range a.SupersededBy {
		if by := l.doc.ADR(id); by != nil && !slices.Contains(by.Supersedes, a.ID) {
			l.fault(by.at("supersedes", "id"), "adr-supersedes", fmt.Sprintf("decision %s is superseded by %s, which does not say so", a.ID, id), fmt.Sprintf("write supersedes: [%s] into %s", a.ID, id))
		}
	}
	if a.Status == Superseded && len(a.SupersededBy) == 0 {
		l.fault(a.at("status"), "adr-supersedes", fmt.Sprintf("decision %s is superseded, and by none", a.ID), "name the new decision under superseded-by")
	}
}

// decidedNumbers: every number in topics has one accepted decision, or several that amend one another. A document that names no
// folder of decisions has no decision to hold them against.
func (l *linter) decidedNumbers() {
	if !l.doc.has("/adrs") {
		return
	}
	for _, t := range l.doc.Topics {
		at := Pointer("/topics").Join(t.Name)
		numbers := []Pointer{at + "/partitions"}
		for name, value := range t.Config {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				numbers = append(numbers, (at + "/config").Join(name))
			}
		}
		for _, number := range numbers {
			l.decided(number)
		}
	}
}

func (l *linter) decided(number Pointer) {
	var by []*ADR
	for i := range l.doc.ADRs {
		a := &l.doc.ADRs[i]
		if a.Status == Accepted && slices.ContainsFunc(a.Decides, func(p Pointer) bool { return p.Under(number) }) {
			by = append(by, a)
		}
	}
	if len(by) == 0 {
		l.fault(l.doc.PosOf(number), "decided-number", fmt.Sprintf("no accepted decision decides %s", number), fmt.Sprintf("record one that has %s under decides", number))
	}
	for i, a := range by {
		for _, b := range by[:i] {
			if !slices.Contains(a.Amends, b.ID) && !slices.Contains(b.Amends, a.ID) {
				l.fault(a.at("decides"), "decided-twice", fmt.Sprintf("%s is decided by %s and by %s", number, b.ID, a.ID), "let the newer one supersede or amend the older one")
			}
		}
	}
}

// proposals: a change of what an accepted decision decides says so; expectations name clauses.
func (l *linter) proposals() {
	for _, a := range l.doc.ADRs {
		if a.Status != Proposed {
			continue
		}
		for _, old := range l.doc.ADRs {
			touches := slices.ContainsFunc(a.touches, func(t Pointer) bool {
				return slices.ContainsFunc(old.Decides, func(p Pointer) bool { return p.Under(t) || t.Under(p) })
			})
			if old.Status == Accepted && touches && !slices.Contains(slices.Concat(a.Amends, a.Supersedes), old.ID) {
				l.fault(a.at("change"), "adr-change", fmt.Sprintf("proposal %s changes what %s decides", a.ID, old.ID), fmt.Sprintf("write amends: [%s] or supersedes: [%s]", old.ID, old.ID))
			}
		}
		l.expects(&a)
	}
}

// expects: the change can be made, and expectations name clauses that the document has before or after it.
func (l *linter) expects(a *ADR) {
	clauses := Clauses(l.doc)
	if after, err := l.doc.after(a); err == nil {
		clauses = append(clauses, Clauses(after)...)
	} else {
		why := err.Error()
		if faults := (Faults)(nil); errors.As(err, &faults) {
			why = faults[0].Text
		}
		l.fault(a.at("change"), "adr-stale", fmt.Sprintf("the change of proposal %s can't be made: %s", a.ID, why), "write the change anew for the document as it is, or reject the proposal")
	}
	for _, e := range a.Expects {
		if !slices.ContainsFunc(clauses, func(c Clause) bool { return c.ID == e.Clause }) {
			l.fault(a.at("expects"), "adr-expects", fmt.Sprintf("proposal %s expects something of %s, which is no clause of this document", a.ID, quoted(string(e.Clause))), absent(e.Clause))
		}
	}
}

// absent says why a document does not have a clause: it lacks the part, or there is no such clause.
func absent(id ID) string {
	if slices.Contains(ClauseIDs(), id) {
		return "the document lacks the part that it follows from"
	}
	return known(string(id), clauseNames(ClauseIDs()))
}

func clauseNames(ids []ID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return names
}
