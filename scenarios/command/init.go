package command

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tahanuji/scenarios/session"
)

// starter is what init writes.
//
//go:embed starter
var starter embed.FS

func initCommand() Command {
	return Command{
		Name: "init", Args: "DIR", Doc: "a commented architecture document and sut.yaml to start from",
		Run: func(_ context.Context, w World, args []string) (int, error) {
			set, err := flags(w, "init", "DIR", func(*flag.FlagSet) {}, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 1, 1, "one folder"); err != nil {
				return 0, err
			}
			return Conforms, writeStarter(w, set.Arg(0))
		},
	}
}

// writeStarter writes the files, and nothing if one of them is there already: init never overwrites.
func writeStarter(w World, dir string) error {
	files, err := fs.Sub(starter, "starter")
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	var names []string
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		names = append(names, name)
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return session.Refusal{Text: fmt.Sprintf("%s is there already; init overwrites nothing. Choose another folder", filepath.Join(dir, name))}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("init: %w", err)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return session.Refusal{Text: fmt.Sprintf("%s can't be made: %v", filepath.Dir(path), err)}
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return session.Refusal{Text: fmt.Sprintf("%s can't be written: %v", path, err)}
		}
		fmt.Fprintln(w.Out, path)
	}
	fmt.Fprintf(w.Out, "Try it with the reference: %s run -arch %s\n", w.program(), filepath.Join(dir, "architecture.yaml"))
	fmt.Fprintf(w.Out, "Then name your services in %s and give it as -sut\n", filepath.Join(dir, "sut.yaml"))
	return nil
}
