package reports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// HashEvidence hashes the evidence files that a run folder has: file name -> SHA-256, hexadecimal.
func HashEvidence(folder string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range evidenceFiles {
		sum, err := hashFile(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reports: hash evidence: %w", err)
		}
		out[name] = sum
	}
	return out, nil
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digestOf hashes a value as encode writes it, so that indentation and line ends of a stored file don't matter.
func digestOf(v any) (string, error) {
	text, err := encode(v)
	if err != nil {
		return "", fmt.Errorf("reports: digest: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Seal computes the report's digests anew. Whoever adds to a report after Build (a proposal) seals it again. The digest
// finds an accident or an edit by hand; it is no signature.
func (r *Report) Seal() error {
	var err error
	if r.Digest.Verdict, err = digestOf(r.Verdict); err != nil {
		return err
	}
	if r.Digest.Evidence, err = digestOf(r.Evidence); err != nil {
		return err
	}
	r.Digest.Measured, err = digestOf(r.Measured)
	return err
}

// sealRun says which files a cell's verdict rests on. For a run on disk the hash of verdicts.json is the file's own.
func sealRun(run *Run) (Evidence, error) {
	e := Evidence{Folder: CellsFolder + "/" + FolderName(run.Cell), Files: map[string]string{}}
	for name, sum := range run.Evidence {
		e.Files[name] = sum
	}
	var err error
	if run.Folder == "" {
		e.Files[VerdictsFile], err = digestOf(run)
	} else {
		e.Files[VerdictsFile], err = hashFile(filepath.Join(run.Folder, VerdictsFile))
	}
	if err != nil {
		return Evidence{}, fmt.Errorf("reports: seal %s: %w", run.Cell, err)
	}
	return e, nil
}

func sortRuns(runs []Run) {
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.Cell, b.Cell) })
}
