// Package shipped lists the systems whose architecture documents come with Tahan Uji. It loads a document and starts nothing.
package shipped

import (
	"fmt"
	"io/fs"
	"path"

	"tahanuji/system/contract"
	"tahanuji/system/sensor"
)

// System is a document that ships with the engine, with a reference implementation.
type System struct {
	Name, Doc string
	File      string // the document's path in the module
	Files     fs.FS  // the folder of File
}

// All lists the systems.
func All() []System {
	return []System{
		{Name: "sensor", Doc: "temperature sensors: recorder, summarizer, display", File: "system/sensor/architecture.yaml", Files: sensor.Files},
	}
}

// Load reads and checks the document. Messages name its path in the module.
func (s System) Load() (*contract.Document, error) {
	text, err := fs.ReadFile(s.Files, path.Base(s.File))
	if err != nil {
		return nil, fmt.Errorf("system %s: %w", s.Name, err)
	}
	return contract.Parse(s.File, text, s.Files)
}
