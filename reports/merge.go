package reports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Merge makes one report of the out folders of shards: the same document, clauses, setting, and no cell in two of them. With
// into set, the cells' folders are copied there, so that the merged report can be verified; "" leaves them where they are.
func Merge(into string, outs ...string) (*Report, error) {
	if len(outs) == 0 {
		return nil, errors.New("reports: merge: no out folder was given")
	}
	var first *Report
	var b basis
	var runs []Run
	var env Environment
	from := map[string]string{}
	for _, out := range outs {
		r, err := Read(out)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first, b, env = r, basisOf(r), environmentOf(r)
		} else if err := b.join(r, outs[0], out); err != nil {
			return nil, err
		}
		env.Took = max(env.Took, r.Measured.Took)
		shard, err := ReadRuns(filepath.Dir(reportPath(out)))
		if err != nil {
			return nil, err
		}
		for _, run := range shard {
			if was, twice := from[run.Cell]; twice {
				return nil, fmt.Errorf("reports: merge: cell %s is in %s and in %s", run.Cell, was, out)
			}
			from[run.Cell] = out
			runs = append(runs, run)
		}
	}
	if into != "" {
		if err := collect(into, runs); err != nil {
			return nil, err
		}
	}
	return b.build(runs, env)
}

func basisOf(r *Report) basis {
	j := &r.Verdict
	b := basis{doc: j.Document, setting: j.Setting, waivers: j.Waivers, want: slices.Clone(j.Wanted), order: j.Faults, eventID: r.Measured.EventID, sweep: j.Sweep.plan()}
	for _, c := range j.Clauses {
		c.Outcome, c.Examined = "", false
		b.clauses = append(b.clauses, c)
	}
	return b
}

func environmentOf(r *Report) Environment {
	m := &r.Measured
	env := Environment{Setting: r.Verdict.Setting, Took: m.Took, Versions: m.Versions, Go: m.Go, OS: m.OS, Arch: m.Arch, CPUs: m.CPUs}
	env.Begun, _ = time.Parse(time.RFC3339, m.Begun) // not known stays not known
	return env
}

// join takes another shard's wanted cells. Shards may each want their own cells or all of them.
func (b *basis) join(r *Report, first, out string) error {
	j := &r.Verdict
	if j.Document != b.doc {
		return fmt.Errorf("reports: merge: %s judges by the document %.12s, %s by %.12s", first, b.doc.Digest, out, j.Document.Digest)
	}
	s := j.Setting
	if s.System != b.setting.System || s.Sut != b.setting.Sut || s.Broker != b.setting.Broker || s.Profile != b.setting.Profile ||
		s.Seed != b.setting.Seed || s.Flaw != b.setting.Flaw {
		return fmt.Errorf("reports: merge: %s and %s were not asked for the same: system, sut, broker, profile, seed or flaw differ", first, out)
	}
	same := slices.EqualFunc(j.Clauses, b.clauses, func(x, y ClauseLine) bool {
		return x.ID == y.ID && x.Level == y.Level && slices.Equal(x.Faults, y.Faults)
	})
	if !same {
		return fmt.Errorf("reports: merge: %s and %s do not have the same clauses", first, out)
	}
	for _, w := range j.Wanted {
		if !slices.ContainsFunc(b.want, func(x Wanted) bool { return x.Cell == w.Cell }) {
			b.want = append(b.want, w)
		}
	}
	b.sweep = b.sweep.join(j.Sweep.plan())
	b.setting.Interrupted = cmpOr(b.setting.Interrupted, s.Interrupted)
	return nil
}

// collect copies the cells' folders into an out folder that does not have them yet.
func collect(into string, runs []Run) error {
	for i := range runs {
		to := CellFolder(into, runs[i].Cell)
		if _, err := os.Stat(to); err == nil {
			return fmt.Errorf("reports: merge: %s is there already", to)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reports: merge: %w", err)
		}
		if err := os.CopyFS(to, os.DirFS(runs[i].Folder)); err != nil {
			return fmt.Errorf("reports: merge: copy %s: %w", runs[i].Cell, err)
		}
		runs[i].Folder = to
	}
	return nil
}
