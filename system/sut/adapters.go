package sut

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeNotes keeps a system's notes beside its logs, in Dir/logs/notes.txt; without notes there is no file.
func writeNotes(dir string, notes []string) error {
	if len(notes) == 0 {
		return nil
	}
	logs := filepath.Join(dir, "logs")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return fmt.Errorf("sut: notes: %w", err)
	}
	if err := os.WriteFile(filepath.Join(logs, "notes.txt"), []byte(strings.Join(notes, "\n")+"\n"), 0o644); err != nil {
		return fmt.Errorf("sut: notes: %w", err)
	}
	return nil
}

// Kind is one way to take hold of a system under test.
type Kind struct {
	Name, Doc string
	// File says that Open needs the path of a file.
	File bool
	// Open makes the adapter. An error with lines is services.Faults or contract.Faults.
	Open func(path string) (Adapter, error)
}

// Adapters are all kinds.
func Adapters() []Kind {
	return []Kind{
		{
			Name: "reference", Doc: "the reference's roles for any document, in this process, with a clock that can be moved",
			Open: func(string) (Adapter, error) { return Reference{}, nil },
		},
		{
			Name: "command", Doc: "services in any language, started as sut.yaml says; the reference plays the roles that it leaves out", File: true,
			Open: func(path string) (Adapter, error) {
				c, err := LoadCommand(path)
				if err != nil {
					return nil, err
				}
				return c, nil
			},
		},
	}
}
