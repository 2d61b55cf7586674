package sweep_test

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"tahanuji/reports"
	"tahanuji/scenarios/session"
)

// profiles is as much of ginkgo.yml as these tests need.
const profiles = `profiles:
  sweep: {doc: a sweep, seeds: 1, flaws: none, explore: 0, sweep: {pairs: 2, least: 100}}
`

type quiet struct{}

func (quiet) Begin(string)       {}
func (quiet) End(string, string) {}

// sit runs the named squares of the sensor system's sweep on the embedded broker.
func sit(t *testing.T, flaw string, names ...string) *reports.Report {
	t.Helper()
	set := flag.NewFlagSet("", flag.ContinueOnError)
	o := session.Register(set, func(string) (string, bool) { return "", false })
	args := []string{"-profile", "sweep", "-scenario", strings.Join(names, ","), "-flaw", flaw, "-out", t.TempDir()}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(*o, session.Edge{Root: t.TempDir(), Command: "here", Now: time.Now(), Profiles: []byte(profiles)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RunAll(context.Background(), quiet{}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Finish(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := reports.Verify(s.Out); err != nil {
		t.Error(err)
	}
	if r.Verdict.Sweep == nil {
		t.Fatal("the report has no sweep")
	}
	return r
}

func TestSquaresAreReachedAndTheReferenceHolds(t *testing.T) {
	t.Parallel()
	names := []string{
		"sweep-recorded",
		"sweep-ApiVersions-recorder-cut-at-first",    // before any role is ready
		"sweep-OffsetFetch-summarizer-refused",       // only after a restart
		"sweep-Produce-summarizer-ack-lost",          // named by a summary
		"sweep-JoinGroup-display-coordinator-moved",  // a move at a request
		"sweep-LeaveGroup-summarizer-late-copy",      // made when a member is stopped
		"sweep-OffsetCommit-summarizer-killed-after", // named by what it passes
		"sweep-pair-1",
	}
	r := sit(t, "", names...)
	sweep := r.Verdict.Sweep
	if sweep.Possible != 6 || sweep.Reached != sweep.Possible {
		t.Errorf("%s of 6", sweep.Line())
	}
	for _, q := range append(sweep.Squares, sweep.Pairs...) {
		if q.Outcome != reports.SweptHeld && q.Outcome != reports.SweptImpossible {
			t.Errorf("%s %s %s %s is %s: %s", q.API, q.Role, q.When, q.Action, q.Outcome, q.Why)
		}
	}
	if r.Verdict.Outcome != reports.Conforms {
		t.Errorf("%s: %+v", r.Verdict.Sentence, r.Verdict.Open)
	}
}

func TestAFlawTurnsSquaresRedThatNameItsMoment(t *testing.T) {
	for flaw, name := range map[string]string{
		"commit-before-store": "sweep-OffsetCommit-summarizer-killed-after",
		"dedupe-in-memory":    "sweep-OffsetCommit-summarizer-killed-before",
		"outbox-in-memory":    "sweep-Produce-recorder-killed-before",
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			r := sit(t, flaw, name)
			part := strings.Split(name, "-")
			for _, q := range r.Verdict.Sweep.Squares {
				if q.API == part[1] && q.Role == part[2] && q.Action == strings.Join(part[3:], "-") && q.Outcome == reports.SweptBroke {
					return
				}
			}
			t.Errorf("no broken square is at the moment of %s: %s", name, r.Verdict.Sentence)
		})
	}
}
