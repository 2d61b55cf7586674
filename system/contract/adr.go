package contract

import (
	"bytes"
	"fmt"
	"slices"
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

// adrs reads the files and checks what they say of each other and of the document.
func (r *reader) adrs(files []adrFile, root *tree.Node) []ADR {
	misformed := slices.ContainsFunc(r.faults, func(f Fault) bool {
		return f.Rule == "unknown-key" || f.Rule == "type" || f.Rule == "missing-key"
	})
	var all []ADR
	for _, file := range files {
		a := r.adr(file)
		if other := slices.IndexFunc(all, func(o ADR) bool { return o.ID == a.ID && a.ID != "" }); other >= 0 {
			r.fault(a.at("id"), "value", fmt.Sprintf("the id %s is taken by %s", a.ID, all[other].File), "give it an id of its own")
		}
		all = append(all, a)
	}
	var ids []string
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	for _, a := range all {
		for field, named := range map[string][]string{"supersedes": a.Supersedes, "superseded-by": a.SupersededBy, "amends": a.Amends} {
			for _, id := range named {
				if !slices.Contains(ids, id) {
					r.fault(a.at(field), "reference", fmt.Sprintf("decision %s names %s, which does not exist", a.ID, quoted(id)), known(id, ids))
				}
			}
		}
		if a.Status != Accepted && a.Status != Proposed || misformed {
			continue // it may speak of parts that are gone, or of a part whose name is misspelt in the document
		}
		for _, p := range a.Decides {
			deepest, there := root.At(p.Tokens())
			if there || slices.ContainsFunc(a.touches, func(t Pointer) bool { return t.Under(p) }) {
				continue
			}
			r.fault(a.at("decides"), "reference", fmt.Sprintf("decision %s decides %s, which the document does not have", a.ID, quoted(string(p))), nearestPointer(p, root, deepest))
		}
	}
	return all
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
