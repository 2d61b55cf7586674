package contract

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tahanuji/system/contract/tree"
)

// FormVersion is the version of the document form, under contract: in each document.
const FormVersion = "v1"

//go:embed architecture.schema.json
var formSchema string

// FormSchema is the document form as a JSON Schema (2020-12), for editors and for tools in other languages: #/$defs/document, and
// #/$defs/adr for the front matter of decisions. Load is stricter: it also follows names and pointers. The slice is the caller's own.
func FormSchema() []byte { return []byte(formSchema) }

// Load reads an architecture document and the decisions in the folder that it names. What is wrong with their form or their
// references comes back in one go, as an error of the type Faults; any other error says that a file could not be read. Whether the
// document agrees with itself is asked of Lint.
func Load(file string) (*Document, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("contract: load: %w", err)
	}
	return Parse(file, text, os.DirFS(filepath.Dir(file)))
}

// Parse is Load for a text that was read already. beside is the folder of the document; file names it in positions.
func Parse(file string, text []byte, beside fs.FS) (*Document, error) {
	r := &reader{}
	root, troubles := tree.ParseYAML(file, text, 0)
	r.troubles(troubles)
	if root == nil {
		return nil, r.faults
	}
	if root.Kind != tree.Map {
		r.is(root, tree.Map, "the document")
		return nil, r.faults
	}
	decisions := r.readADRs(root, file, beside)
	d := r.build(root, file, decisions, "")
	if w := d.Workload.File; w != "" && localPath(w) {
		if _, err := fs.Stat(beside, path.Clean(w)); err != nil {
			r.fault(d.PosOf("/workload/file"), "reference", "workload.file: "+err.Error(), "write a path that exists, relative to the document")
		}
	}
	if len(r.faults) > 0 {
		return nil, r.faults.sorted()
	}
	d.Digest = digest(text, decisions)
	return d, nil
}

// localPath says whether a path stays below the document's folder.
func localPath(name string) bool { return name != "" && fs.ValidPath(path.Clean(name)) }

func (r *reader) readADRs(root *tree.Node, file string, beside fs.FS) []adrFile {
	folder, ok := root.Get("adrs")
	if !ok || !r.is(folder, tree.String, "the document.adrs") {
		return nil
	}
	if !localPath(folder.Text) {
		r.fault(pos(folder.Place), "value", fmt.Sprintf("adrs is %s", quoted(folder.Text)), "name a folder below the document's own")
		return nil
	}
	name := path.Clean(folder.Text)
	entries, err := fs.ReadDir(beside, name)
	if err != nil {
		r.fault(pos(folder.Place), "reference", "adrs: "+err.Error(), "name the folder of the decisions, or leave adrs out")
		return nil
	}
	var files []adrFile
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != ".md" || strings.EqualFold(e.Name(), "README.md") {
			continue
		}
		text, err := fs.ReadFile(beside, path.Join(name, e.Name()))
		if err != nil {
			r.fault(pos(folder.Place), "reference", "adrs: "+err.Error(), "make the file readable")
			continue
		}
		files = append(files, adrFile{name: filepath.Join(filepath.Dir(file), name, e.Name()), base: e.Name(), text: text})
	}
	return files
}

// digest frames each part with its length, so that no two documents share a digest by moving text between files.
func digest(document []byte, decisions []adrFile) string {
	h := sha256.New()
	part := func(b []byte) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(b)))
		h.Write(size[:])
		h.Write(b)
	}
	part(document)
	for _, a := range decisions {
		part([]byte(a.base))
		part(a.text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// build makes a document of a tree. It is not sound where the reader has gathered faults.
func (r *reader) build(root *tree.Node, file string, decisions []adrFile, adopted string) *Document {
	r.mapping(root, "document", "the document")
	d := &Document{File: file, src: source{root: root, adrs: decisions}}
	if version, ok := root.Get("contract"); ok && version.Text != FormVersion {
		r.fault(pos(version.Place), "value", fmt.Sprintf("contract is %s", quoted(version.Text)), "this program reads "+FormVersion)
	}
	if d.ID = r.text(root, "id", "the document"); d.ID != "" && !documentID.MatchString(d.ID) {
		r.fault(d.PosOf("/id"), "value", fmt.Sprintf("id is %s", quoted(d.ID)), "letters, digits, dot, underscore and hyphen, at most 64: it names folders")
	}
	d.Topics, d.Envelope, d.Payloads = r.topics(root), r.envelope(root), r.payloads(root)
	d.Groups, d.Flows, d.Replay, d.Capacity = r.groups(root), r.flows(root), r.replay(root), r.capacity(root)
	d.Source, d.Workload, d.Waivers = r.source(root), r.workload(root), r.waivers(root)
	d.ADRs = r.adrs(decisions, root, adopted)
	r.kinds(d)
	r.references(d)
	return d
}

// references: each name leads to something that the document has.
func (r *reader) references(d *Document) {
	var topics, payloads, groups []string
	for _, t := range d.Topics {
		topics = append(topics, t.Name)
	}
	for _, p := range d.Payloads {
		payloads = append(payloads, p.Name)
	}
	for _, g := range d.Groups {
		groups = append(groups, g.Name)
	}
	lead := func(at Pointer, who, kind, name string, all []string) {
		if name != "" && !slices.Contains(all, name) {
			r.fault(d.PosOf(at), "reference", fmt.Sprintf("%s names the %s %s, which does not exist", who, kind, quoted(name)), known(name, all))
		}
	}
	for _, t := range d.Topics {
		lead(Pointer("/topics").Join(t.Name)+"/payload", "topic "+t.Name, "payload", t.Payload, payloads)
	}
	for _, g := range d.Groups {
		for i, topic := range g.Reads {
			lead((Pointer("/groups").Join(g.Name) + "/reads").JoinIndex(i), "group "+g.Name, "topic", topic, topics)
		}
	}
	for _, f := range d.Flows {
		at := f.Pointer()
		lead(at+"/reads", "flow "+f.Name, "topic", f.Reads, topics)
		lead(at+"/writes", "flow "+f.Name, "topic", f.Writes, topics)
		lead(at+"/group", "flow "+f.Name, "group", f.Group, groups)
		if g := d.Group(f.Group); g != nil && len(g.Reads) > 0 && slices.Contains(topics, f.Reads) && !slices.Contains(g.Reads, f.Reads) {
			r.fault(d.PosOf(at+"/group"), "reference", fmt.Sprintf("flow %s reads %s in the group %s, which does not read it", f.Name, f.Reads, g.Name), "let the group read the topic, or take another group")
		}
		r.foldFlow(d, f)
	}
	if d.Replay != nil {
		lead("/replay/topic", "replay", "topic", d.Replay.Topic, topics)
	}
}

// foldFlow: a fold has a flow of its role that writes its summaries, overwritten by exactly the fold's fields and window.
func (r *reader) foldFlow(d *Document, f Flow) {
	if f.Fold == nil || f.Role == "" {
		return
	}
	at := d.PosOf(f.Pointer() + "/fold")
	if f.Kind != Summarizer && f.Kind != "" {
		r.fault(at, "fold-flow", fmt.Sprintf("flow %s folds, and its role %s is a %s", f.Name, quoted(f.Role), f.Kind), "a fold belongs to a summarizer")
		return
	}
	out := d.Out(&f)
	if out == nil {
		r.fault(at, "fold-flow", fmt.Sprintf("no flow of the role %s writes what %s folds", quoted(f.Role), f.Name), "add a flow of the role with writes and overwrite-key, which holds the window's into")
		return
	}
	if len(out.OverwriteKey) != len(f.Fold.By)+1 && len(f.Fold.By) > 0 {
		r.fault(d.PosOf(out.Pointer()+"/overwrite-key"), "fold-flow",
			fmt.Sprintf("flow %s folds by %d fields and a window, and %s overwrites by %d fields", f.Name, len(f.Fold.By), out.Name, len(out.OverwriteKey)),
			"name the summary's fields in the order of the fold's by, and the window's into")
	}
}

// PosOf is where a part of the document stands: a text, number or truth at its value, a mapping or list at its name. Of a part that
// is not there it is the nearest one above it.
func (d *Document) PosOf(part Pointer) Pos {
	if d.src.root == nil {
		return Pos{File: d.File}
	}
	at, place := d.src.root, d.src.root.Place
	for _, token := range part.Tokens() {
		next, ok := at.At([]string{token})
		if !ok {
			break
		}
		place = next.Place
		for _, p := range at.Pairs {
			if p.Name == token && (next.Kind == tree.Map || next.Kind == tree.List) {
				place = p.At
			}
		}
		at = next
	}
	return pos(place)
}
