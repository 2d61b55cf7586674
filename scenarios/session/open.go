package session

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	_ "time/tzdata" // windows have zones, and a fresh machine may have no zone files
	"unicode"

	"tahanuji/system/contract"
	"tahanuji/system/shipped"
	"tahanuji/system/sut"
	"tahanuji/system/workload"
)

// openDocument loads the document of -arch, of the sut.yaml, or of the shipped system, and holds it against the lint rules: a
// document that contradicts itself is refused before anything starts.
func (s *Session) openDocument(at Edge) error {
	if at.Document != nil {
		s.Doc = at.Document
		_, err := s.load() // for the system's name and the services
		return err
	}
	doc, err := s.load()
	var faults contract.Faults
	if errors.As(err, &faults) {
		return refuse("%s", faults.Error())
	}
	if err != nil {
		return s.unreadable(err)
	}
	var serious contract.Faults
	for _, f := range contract.Lint(doc, at.Now) {
		if f.Severity == contract.Error {
			serious = append(serious, f)
		}
	}
	if len(serious) > 0 {
		return refuse("%s", serious.Error())
	}
	s.Doc = doc
	return nil
}

func (s *Session) load() (*contract.Document, error) {
	switch {
	case s.Options.Arch != "":
		return s.named(contract.Load(s.Options.Arch))
	case s.Options.Sut != "":
		command, err := sut.LoadCommand(s.Options.Sut)
		if err != nil {
			return nil, err
		}
		if command.Architecture() == "" {
			return nil, refuse("%s names no document. Add `system: architecture.yaml`, or give -arch", s.Options.Sut)
		}
		s.command = command
		return s.named(contract.Load(command.Architecture()))
	}
	var names []string
	for _, sys := range shipped.All() {
		names = append(names, sys.Name)
		if sys.Name == s.Options.System {
			s.System = sys.Name
			return sys.Load()
		}
	}
	return nil, Known("-system", s.Options.System, names)
}

// unreadable refuses a document or a sut.yaml, and says where one comes from when there is none.
func (s *Session) unreadable(err error) error {
	var refusal Refusal
	var path *fs.PathError
	switch {
	case errors.As(err, &refusal):
		return refusal
	case !errors.As(err, &path):
		return refuse("%v", err)
	case s.Options.Sut != "" && (s.Options.Arch == "" || path.Path == s.Options.Sut):
		return refuse("-sut: %v. Name a sut.yaml whose document can be read; `init DIR` writes both to start from", err)
	}
	return refuse("-arch: %v. Name an architecture document; `init DIR` writes one to start from", err)
}

// named names the system by its document's id, whose other letters than those of cell ids become hyphens: wherever the document
// lies, its cells are called the same.
func (s *Session) named(doc *contract.Document, err error) (*contract.Document, error) {
	if err != nil {
		return nil, err
	}
	words := strings.FieldsFunc(doc.ID, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	s.System = cmp.Or(strings.Join(words, "-"), "system")
	return doc, nil
}

// openSystem finds the adapter and asks it whether it can play the document.
func (s *Session) openSystem(Edge) error {
	if s.Options.Sut == "" {
		s.Adapter = sut.Reference{}
		return playable(sut.Reference{}, s.Doc)
	}
	command := s.command
	if command == nil {
		var err error
		if command, err = sut.LoadCommand(s.Options.Sut); err != nil {
			return s.unreadable(err)
		}
	}
	if err := command.Bind(s.Doc); err != nil {
		return refuse("%v", err)
	}
	s.Adapter = command
	return playable(command, s.Doc)
}

// playable refuses a document with a role that is left to the reference and that the reference can't play.
func playable(adapter interface {
	Plays(*contract.Document) error
}, doc *contract.Document) error {
	if err := adapter.Plays(doc); err != nil {
		return refuse("%s: %v", doc.File, err)
	}
	return nil
}

// openInput checks recorded events against the document, line by line. Without any it has events made once, for a document that
// nobody can make events for is refused now, and not run by run.
func (s *Session) openInput(at Edge) error {
	if s.Options.Input == "" {
		return s.makeSample(at)
	}
	if _, err := os.Stat(s.Options.Input); err != nil {
		return refuse("-input: %v. Name a file with one JSON record a line", err)
	}
	if _, err := workload.FromFile(s.Doc, s.Options.Input, workload.Options{Seed: s.Seed}); err != nil {
		return refuse("%v", err)
	}
	return nil
}

// profiles are those of the edge, or of ginkgo.yml in its root.
func profiles(at Edge) ([]Profile, error) {
	if at.Profiles != nil {
		return parseProfiles("ginkgo.yml", at.Profiles)
	}
	return LoadProfiles(filepath.Join(at.Root, "ginkgo.yml"))
}
