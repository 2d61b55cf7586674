// Package format renders a report: one format a file, all from the report alone. It judges nothing, reads no run folder,
// and changes no report.
package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tahanuji/reports"
)

// Format is one form of a report.
type Format struct {
	Name, Doc string
	File      string // in the out folder
	Render    func(*reports.Report, io.Writer) error
}

// All formats, in the order in which they are written.
func All() []Format {
	return []Format{JSON(), HTML(), JUnit(), Markdown()}
}

// Named picks formats by name, in the order of All; no name is all of them. An unknown name is an error with the list.
func Named(names ...string) ([]Format, error) {
	if len(names) == 0 {
		return All(), nil
	}
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	var out []Format
	var known []string
	for _, f := range All() {
		known = append(known, f.Name)
		if want[f.Name] {
			out = append(out, f)
			delete(want, f.Name)
		}
	}
	for _, n := range names {
		if want[n] {
			return nil, fmt.Errorf("format: %q is none of %s", n, strings.Join(known, ", "))
		}
	}
	return out, nil
}

// Write renders a report into an out folder. A file is replaced whole or not at all.
func Write(out string, r *reports.Report, formats []Format) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("format: write: %w", err)
	}
	var errs []error
	for _, f := range formats {
		if err := writeOne(out, r, f); err != nil {
			errs = append(errs, fmt.Errorf("format: write %s: %w", f.File, err))
		}
	}
	return errors.Join(errs...)
}

func writeOne(out string, r *reports.Report, f Format) error {
	file, err := os.CreateTemp(out, "."+f.File+"-*")
	if err != nil {
		return err
	}
	err = f.Render(r, file)
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), filepath.Join(out, f.File))
}
