package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tahanuji/reports"
)

// openOut names the out folder and refuses one that holds a sitting already. It makes nothing: see Make.
func (s *Session) openOut(at Edge) error {
	if at.Follower {
		return nil
	}
	s.Out = s.Options.Out
	if s.Out == "" {
		s.Out = filepath.Join(at.Root, "out", fmt.Sprintf("%s-%s", at.Now.UTC().Format("20060102-150405.000"), s.System))
	}
	info, err := os.Stat(s.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return refuse("-out: %s can't be used: %v. Choose a folder that can be written", s.Out, err)
	}
	if !info.IsDir() {
		return refuse("-out: %s is no folder. Choose a folder that can be written", s.Out)
	}
	for _, name := range []string{reports.CellsFolder, keptFile, "report.json"} {
		if _, err := os.Lstat(filepath.Join(s.Out, name)); err == nil {
			return refuse("-out: %s already holds runs. Choose an empty folder, or remove it", s.Out)
		}
	}
	return nil
}

// Make makes the out folder and proves that it can be written, before anything runs. What it could not finish it takes away
// again.
func (s *Session) Make() error {
	made := missing(s.Out)
	err := s.makeOut()
	if err != nil && made != "" {
		err = errors.Join(err, os.RemoveAll(made))
	}
	return err
}

func (s *Session) makeOut() error {
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return refuse("-out: %s can't be made: %v. Choose a folder that can be written", s.Out, err)
	}
	return s.saveOptions()
}

// missing is the topmost folder of a path that is not there yet, "" if all are.
func missing(path string) string {
	top := ""
	for {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return top
		}
		top, path = path, filepath.Dir(path)
	}
}
