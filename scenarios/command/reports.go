package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tahanuji/reports"
	"tahanuji/reports/format"
	"tahanuji/scenarios/session"
)

func diffCommand() Command {
	return Command{
		Name: "diff", Args: "REPORT REPORT", Doc: "what changed between two reports",
		Run: func(_ context.Context, w World, args []string) (int, error) {
			set, err := flags(w, "diff", "REPORT REPORT", func(*flag.FlagSet) {}, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 2, 2, "two reports (report.json or the folder that holds it)"); err != nil {
				return 0, err
			}
			var read [2]*reports.Report
			for i := range read {
				if read[i], err = readReport(set.Arg(i)); err != nil {
					return 0, err
				}
			}
			d := reports.Diff(read[0], read[1])
			if err := d.Print(w.Out); err != nil {
				return 0, err
			}
			if d.Worse() {
				return Violated, nil
			}
			return Conforms, nil
		},
	}
}

func verifyCommand() Command {
	return Command{
		Name: "verify", Args: "REPORT", Doc: "is this report whole and unaltered?",
		Run: func(_ context.Context, w World, args []string) (int, error) {
			set, err := flags(w, "verify", "REPORT", func(*flag.FlagSet) {}, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 1, 1, "a report.json or the folder that holds it"); err != nil {
				return 0, err
			}
			if _, err := os.Stat(reportFile(set.Arg(0))); err != nil {
				return 0, noReport(set.Arg(0))
			}
			if err := reports.Verify(set.Arg(0)); err != nil {
				fmt.Fprintf(w.Out, "Refused: %v\n", err)
				return Violated, nil
			}
			if altered, err := pages(set.Arg(0)); err != nil || altered != "" {
				fmt.Fprintf(w.Out, "Refused: %s\n", cmp.Or(altered, fmt.Sprint(err)))
				return Violated, nil
			}
			fmt.Fprintln(w.Out, "The report is whole: its schema, cells, sums, verdicts, the hashes of its evidence and its pages agree.")
			return Conforms, nil
		},
	}
}

// pages renders the formats beside a report.json again and names one that says something else, "" when none does. A page that is
// not there is not missed: only the report is needed.
func pages(path string) (altered string, err error) {
	r, err := readReport(path)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(reportFile(path))
	for _, f := range format.All() {
		was, err := os.ReadFile(filepath.Join(dir, f.File))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		var now bytes.Buffer
		if err := f.Render(r, &now); err != nil {
			return "", err
		}
		if !bytes.Equal(was, now.Bytes()) {
			return fmt.Sprintf("%s is not what the report renders to; render it again with `report`", filepath.Join(dir, f.File)), nil
		}
	}
	return "", nil
}

func reportCommand() Command {
	return Command{
		Name: "report", Args: "OUT... [-format html,json,junit,md] [-into DIR]", Doc: "render again; several outs (shards) are merged",
		Run: func(_ context.Context, w World, args []string) (int, error) {
			names, into := "", ""
			set, err := flags(w, "report", "OUT...", func(set *flag.FlagSet) {
				set.StringVar(&names, "format", "", "formats, separated by commas (default all)")
				set.StringVar(&into, "into", "", "folder for the merged report (default the first OUT; needed for several)")
			}, args)
			if err != nil {
				return 0, err
			}
			if set.NArg() == 0 {
				return 0, session.Refusal{Text: "no out folder given, such as out/latest"}
			}
			return render(w, set.Args(), names, into)
		},
	}
}

func render(w World, outs []string, names, into string) (int, error) {
	var picked []string
	if names != "" {
		picked = strings.Split(names, ",")
	}
	formats, err := format.Named(picked...)
	if err != nil {
		return 0, session.Refusal{Text: err.Error()}
	}
	var r *reports.Report
	if len(outs) == 1 {
		if r, err = readReport(outs[0]); err != nil {
			return 0, err
		}
		if into == "" {
			into = outs[0]
		}
	} else {
		if into == "" {
			return 0, session.Refusal{Text: "several out folders are merged into a new one: name it with -into DIR"}
		}
		if r, err = reports.Merge(into, outs...); err != nil {
			return 0, session.Refusal{Text: err.Error()}
		}
	}
	if err := format.Write(into, r, formats); err != nil {
		return 0, err
	}
	for _, f := range formats {
		fmt.Fprintln(w.Out, filepath.Join(into, f.File))
	}
	return Conforms, nil
}

// readReport reads report.json, or the one in a folder. What can't be read is refused.
func readReport(path string) (*reports.Report, error) {
	path = reportFile(path)
	r, err := reports.Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, noReport(path)
	}
	if err != nil {
		return nil, session.Refusal{Text: err.Error()}
	}
	return r, nil
}

func reportFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, "report.json")
	}
	return path
}

func noReport(path string) error {
	return session.Refusal{Text: fmt.Sprintf("%s is no report. Name a report.json or the folder that holds it, such as out/latest", path)}
}
