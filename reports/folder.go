package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Files of a run folder. Logs stand beside them under logs/, a shrunk plan and its run under minimal/.
const (
	PlanFile     = "plan.json"
	HistoryFile  = "history.jsonl"
	LedgerFile   = "ledger.jsonl"
	VerdictsFile = "verdicts.json"
	CellsFolder  = "cells"
)

// evidenceFiles are hashed into verdicts.json, which is hashed into report.json.
var evidenceFiles = []string{PlanFile, HistoryFile, LedgerFile}

// cellPart is what stands between two slashes of a cell id. "--" is left out, so that folder names can be read back.
var cellPart = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._]|-[A-Za-z0-9._])*$`)

// FolderName is the name of a cell's folder under cells/: the id with "--" in the place of each "/". A cell's folder never
// lies inside another's.
func FolderName(cell string) string { return strings.ReplaceAll(cell, "/", "--") }

// CellFolder is where the run of a cell belongs under an out folder: OUT/cells/NAME.
func CellFolder(out, cell string) string { return filepath.Join(out, CellsFolder, FolderName(cell)) }

// CheckCell refuses an id that could not be a folder's name: empty parts, "..", "--", blanks, or more than 200 bytes.
func CheckCell(cell string) error {
	if len(cell) > 200 {
		return fmt.Errorf("reports: cell %q has more than 200 bytes", cell)
	}
	for part := range strings.SplitSeq(cell, "/") {
		if !cellPart.MatchString(part) || strings.Contains(part, "..") {
			return fmt.Errorf("reports: cell %q: the part %q is no name (letters, digits, single hyphens, dots)", cell, part)
		}
	}
	return nil
}

// SaveEvidence writes plan, history and ledger of a run, before anything is judged. It makes the folder and logs/ in it.
func SaveEvidence(folder string, plan any, h *history.History) error {
	if err := os.MkdirAll(filepath.Join(folder, "logs"), 0o755); err != nil {
		return fmt.Errorf("reports: save evidence: %w", err)
	}
	planned, err := encode(plan)
	if err != nil {
		return fmt.Errorf("reports: save %s: %w", PlanFile, err)
	}
	if err := os.WriteFile(filepath.Join(folder, PlanFile), planned, 0o644); err != nil {
		return fmt.Errorf("reports: save evidence: %w", err)
	}
	events := func(w io.Writer) error { return history.WriteEvents(w, h.Events) }
	if err := saveWith(filepath.Join(folder, HistoryFile), events); err != nil {
		return err
	}
	return saveWith(filepath.Join(folder, LedgerFile), func(w io.Writer) error { return history.WriteLedger(w, h.Ledger) })
}

// saveWith fills a new file beside the place and moves it there, so that a kill leaves the whole file or none.
func saveWith(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("reports: save %s: %w", filepath.Base(path), err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("reports: save %s: %w", filepath.Base(path), err), os.Remove(f.Name()))
		}
	}()
	if err = write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	if err = f.Chmod(0o644); err != nil {
		return errors.Join(err, f.Close())
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Write saves a run's verdicts.json in its folder, with the hashes of the evidence that lies there. It refuses a run whose
// folder's name is not its cell's, whose verdicts are not one a clause, or whose evidence changed since an earlier Write.
func Write(folder string, run Run) error {
	if err := checkRun(&run, folder); err != nil {
		return err
	}
	hashes, err := HashEvidence(folder)
	if err != nil {
		return err
	}
	for file, was := range run.Evidence {
		if hashes[file] != was {
			return fmt.Errorf("reports: write %s: %s changed since it was saved", folder, file)
		}
	}
	run.Evidence = hashes
	text, err := encode(run)
	if err != nil {
		return fmt.Errorf("reports: write %s: %w", folder, err)
	}
	return saveWith(filepath.Join(folder, VerdictsFile), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// ReadRun reads a run folder's verdicts.json. Unknown fields, what is left over behind the object, and what Write would
// refuse are errors that name the file. The evidence is not read: see HashEvidence and ReadHistory.
func ReadRun(folder string) (Run, error) {
	path := filepath.Join(folder, VerdictsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Run{}, fmt.Errorf("reports: read run: %w", err)
	}
	var run Run
	if err := decode(text, &run); err != nil {
		return Run{}, fmt.Errorf("reports: read %s: %w", path, err)
	}
	if err := checkRun(&run, folder); err != nil {
		return Run{}, err
	}
	run.Folder = folder
	return run, nil
}

// ReadRuns reads each judged run under OUT/cells, sorted by cell. A folder without verdicts.json was cut short before it
// was judged and is left out: its cell is then not-run.
func ReadRuns(out string) ([]Run, error) {
	entries, err := os.ReadDir(filepath.Join(out, CellsFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reports: read runs: %w", err)
	}
	var runs []Run
	for _, e := range entries {
		folder := filepath.Join(out, CellsFolder, e.Name())
		if _, err := os.Stat(filepath.Join(folder, VerdictsFile)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		run, err := ReadRun(folder)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	sortRuns(runs)
	return runs, nil
}

// ReadHistory reads the evidence of a run folder. A folder without a ledger has a history without exchanges.
func ReadHistory(folder string) (*history.History, error) {
	var h history.History
	f, err := os.Open(filepath.Join(folder, HistoryFile))
	if err != nil {
		return nil, fmt.Errorf("reports: read history: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	if h.Events, err = history.ReadEvents(f); err != nil {
		return nil, fmt.Errorf("reports: read %s: %w", f.Name(), err)
	}
	l, err := os.Open(filepath.Join(folder, LedgerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return &h, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reports: read ledger: %w", err)
	}
	defer func() { _ = l.Close() }() // only read
	if h.Ledger, err = history.ReadLedger(l); err != nil {
		return nil, fmt.Errorf("reports: read %s: %w", l.Name(), err)
	}
	return &h, nil
}

func checkRun(run *Run, folder string) error {
	if err := CheckCell(run.Cell); err != nil {
		return fmt.Errorf("%w (in %s)", err, folder)
	}
	if folder != "" && filepath.Base(folder) != FolderName(run.Cell) {
		return fmt.Errorf("reports: folder %s does not belong to cell %s, whose folder is %s", folder, run.Cell, FolderName(run.Cell))
	}
	for i, v := range run.Verdicts {
		if !known(v.Outcome) {
			return fmt.Errorf("reports: run %s: clause %s has the unknown outcome %q", run.Cell, v.Clause, v.Outcome)
		}
		if i > 0 && run.Verdicts[i-1].Clause >= v.Clause {
			return fmt.Errorf("reports: run %s: verdicts are one a clause, sorted: %s after %s", run.Cell, v.Clause, run.Verdicts[i-1].Clause)
		}
	}
	return nil
}

func known(o check.Outcome) bool {
	switch o {
	case check.Unset, check.Holds, check.Broken, check.Inconclusive, check.NotApplicable, check.NotRun, check.Waived:
		return true
	}
	return false
}

// encode is the one way in which files are written: indented, sorted map keys, no HTML escapes, a newline at the end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind the object")
	}
	return nil
}
