package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"tahanuji/system/contract/tree"
)

// operation is one operation of an RFC 6902 patch.
type operation struct {
	Op    string          `json:"op"`
	Path  *Pointer        `json:"path"`
	From  *Pointer        `json:"from,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// changed are the paths that the operation takes something from, which a test must have held before.
func (o operation) changed() []Pointer {
	switch o.Op {
	case "replace", "remove":
		return []Pointer{*o.Path}
	case "move":
		return []Pointer{*o.From}
	}
	return nil
}

func touched(ops []operation) []Pointer {
	var all []Pointer
	for _, o := range ops {
		if o.Path != nil && o.Op != "test" {
			all = append(all, *o.Path)
		}
		if o.From != nil && o.Op == "move" {
			all = append(all, *o.From)
		}
	}
	return all
}

// readPatch reads a patch and holds it against RFC 6902 and the rule that what is replaced, removed or moved is tested before.
func readPatch(patch []byte, at func(i int) Pos) ([]operation, Faults) {
	r := &reader{}
	var raw []json.RawMessage
	if err := json.Unmarshal(patch, &raw); err != nil {
		r.fault(at(0), "patch", "the change is no list of operations: "+err.Error(), "write a list of {op, path, value}")
		return nil, r.faults
	}
	var ops []operation
	var tested []Pointer
	for i, text := range raw {
		var o operation
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&o); err != nil {
			r.fault(at(i), "patch", fmt.Sprintf("operation %d of the change: %s", i+1, err), "an operation has op, path, and value or from")
			continue
		}
		if why := o.wrong(); why != "" {
			r.fault(at(i), "patch", fmt.Sprintf("operation %d of the change %s", i+1, why), "see RFC 6902")
			continue
		}
		if o.Op == "test" {
			tested = append(tested, *o.Path)
		}
		for _, p := range o.changed() {
			if !slices.ContainsFunc(tested, func(t Pointer) bool { return t == p || p != "" && t.Under(p) }) {
				r.fault(at(i), "patch", fmt.Sprintf("operation %d of the change %ss %s untested", i+1, o.Op, quoted(string(p))),
					fmt.Sprintf("put {op: test, path: %s, value: the value as it is} in front of it", p))
			}
		}
		ops = append(ops, o)
	}
	return ops, r.faults
}

func (o operation) wrong() string {
	switch o.Op {
	case "test", "add", "replace":
		if o.Value == nil {
			return "has no value"
		}
	case "move", "copy":
		if o.From == nil {
			return "has no from"
		}
		if err := o.From.Check(); err != nil {
			return "has a wrong from: " + err.Error()
		}
	case "remove":
	default:
		return fmt.Sprintf("has the op %s; %s", quoted(o.Op), known(o.Op, []string{"test", "add", "replace", "remove", "move", "copy"}))
	}
	if o.Path == nil {
		return "has no path"
	}
	if err := o.Path.Check(); err != nil {
		return "has a wrong path: " + err.Error()
	}
	return ""
}

// Patch applies an RFC 6902 patch (JSON) to a document. Each value that it replaces, removes or moves must be tested before. The
// result is read as a file is: what is wrong with it, or with the patch, or a test that does not hold, comes back as Faults. The
// decisions stay as they are. Parts that the patch leaves alone keep their positions.
func Patch(d *Document, patch []byte) (*Document, error) {
	at := Pos{File: "patch"}
	return apply(d, patch, "", func(int) Pos { return at }, func(string) (tree.Place, bool) { return tree.Place{}, false })
}

// apply is Patch with the places of the operations and of what they bring, and a proposal that is adopted with them.
func apply(d *Document, patch []byte, adopted string, at func(i int) Pos, fresh func(string) (tree.Place, bool)) (*Document, error) {
	if d.src.root == nil {
		return nil, fmt.Errorf("contract: patch: the document was not loaded")
	}
	ops, faults := readPatch(patch, at)
	if len(faults) > 0 {
		return nil, faults
	}
	text := d.src.root.JSON()
	for i, o := range ops {
		next, err := step(text, o)
		if err != nil {
			r := &reader{}
			r.fault(at(i), "patch", fmt.Sprintf("operation %d of the change, %s %s: %s", i+1, o.Op, quoted(string(*o.Path)), failure(text, o, err)), "write the change anew for the document as it is")
			return nil, r.faults
		}
		text = next
	}
	root, err := tree.ParseJSON(text, d.src.root, fresh)
	if err != nil {
		return nil, fmt.Errorf("contract: patch: %w", err)
	}
	r := &reader{known: d.Payloads}
	changed := r.build(root, d.File, d.src.adrs, adopted)
	if len(r.faults) > 0 {
		return nil, r.faults.sorted()
	}
	changed.Digest = digest(text, d.src.adrs)
	return changed, nil
}

// step applies one operation, so that a failure is known to be its own.
func step(text []byte, o operation) ([]byte, error) {
	one, err := json.Marshal([]operation{o})
	if err != nil {
		return nil, fmt.Errorf("contract: patch: %w", err)
	}
	p, err := jsonpatch.DecodePatch(one)
	if err != nil {
		return nil, fmt.Errorf("contract: patch: %w", err)
	}
	return p.ApplyWithOptions(text, &jsonpatch.ApplyOptions{SupportNegativeIndices: false, AllowMissingPathOnRemove: false, EnsurePathExistsOnAdd: false, AccumulatedCopySizeLimit: tree.MaxBytes})
}

// failure says what the document has where the operation failed.
func failure(text []byte, o operation, err error) string {
	if o.Op == "add" || o.Op == "copy" {
		return err.Error()
	}
	from := *o.Path
	if o.From != nil {
		from = *o.From
	}
	now, ok := from.Get(text)
	if !ok {
		return "the document has nothing there"
	}
	if o.Op == "test" {
		return fmt.Sprintf("the document has %s now, the change expects %s", short(now.Raw), short(string(o.Value)))
	}
	return err.Error()
}

func short(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 80 {
		return s[:77] + "..."
	}
	return s
}

// Proposal is a proposed decision with the document as it would be.
type Proposal struct {
	ADR *ADR
	// Document is the document after adoption: the change made, the decision accepted, what it supersedes superseded.
	Document *Document
	// Faults are the lint faults of Document that the document before it does not have.
	Faults Faults
}

// Propose makes the document that adopting a proposed decision would make. A proposal without a change (one that only names a
// variant) leaves the document as it is but for the decision's status. Errors are those of Patch; now is for waivers.
func Propose(d *Document, id string, now time.Time) (*Proposal, error) {
	a := d.ADR(id)
	if a == nil {
		var ids []string
		for _, other := range d.ADRs {
			if other.Status == Proposed {
				ids = append(ids, other.ID)
			}
		}
		return nil, fmt.Errorf("contract: propose: there is no decision %s; %s", quoted(id), known(id, ids))
	}
	if a.Status != Proposed {
		return nil, fmt.Errorf("contract: propose: decision %s is %s; only a proposed one can be tried", id, a.Status)
	}
	after, err := d.after(a)
	if err != nil {
		return nil, err
	}
	before := Lint(d, now)
	found := slices.DeleteFunc(Lint(after, now), func(f Fault) bool {
		return slices.ContainsFunc(before, func(old Fault) bool { return old.Rule == f.Rule && old.Text == f.Text }) || d.ofAnotherProposal(f, a)
	})
	return &Proposal{ADR: a, Document: after, Faults: found}, nil
}

// ofAnotherProposal says that a fault stands in the file of a proposal that is not adopted: its author's to mend, once this one is.
func (d *Document) ofAnotherProposal(f Fault, adopted *ADR) bool {
	return slices.ContainsFunc(d.ADRs, func(other ADR) bool {
		return other.ID != adopted.ID && other.Status == Proposed && other.File == f.Pos.File
	})
}

// after is the document as a proposal would make it.
func (d *Document) after(a *ADR) (*Document, error) {
	patch := a.Change
	if len(patch) == 0 {
		patch = json.RawMessage("[]")
	}
	var ops []operation
	if err := json.Unmarshal(patch, &ops); err != nil {
		return nil, fmt.Errorf("contract: propose: %w", err)
	}
	at := func(i int) Pos {
		if i < len(ops) && ops[i].Path != nil {
			return a.changeAt[*ops[i].Path]
		}
		return a.Pos
	}
	fresh := func(pointer string) (tree.Place, bool) {
		if !slices.Contains(a.touches, Pointer(pointer)) {
			return tree.Place{}, false
		}
		at, ok := a.changeAt[Pointer(pointer)]
		return tree.Place{File: at.File, Line: at.Line, Column: at.Column}, ok
	}
	return apply(d, patch, a.ID, at, fresh)
}
