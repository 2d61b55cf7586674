package scenarios_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"tahanuji/reports"
	"tahanuji/scenarios/progress"
	"tahanuji/scenarios/session"
)

// The suite's flags are the engine's: `go tool ginkgo ./scenarios -- -profile full`. Go's test binary parses them.
var options = session.Register(flag.CommandLine, os.LookupEnv)

// refusal is why the sitting could not be opened: the one line that a user needs, before Ginkgo's own.
var (
	sitting *session.Session
	runs    *session.Background
	ended   context.Context
	ending  context.CancelFunc
)

func TestScenarios(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	suite, reporter := GinkgoConfiguration()
	if suite.FlakeAttempts > 1 {
		refuse("--flake-attempts hides violations: one that is seen once counts")
	}
	suite.FailOnEmpty, suite.FailOnPending = true, true
	sitting, err = session.Open(inRoot(*options, root), session.Edge{
		Root: root, Command: "go tool ginkgo ./scenarios --", Now: time.Now(), Follower: suite.ParallelProcess > 1,
	})
	if err != nil {
		refuse(err.Error())
	}
	ended, ending = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer ending()
	describe(sitting)
	RegisterFailHandler(Fail)
	sitting.Only(chosen(PreviewSpecs("preview", suite, reporter)))
	if sitting.Size() == 0 {
		refuse("Ginkgo's filters leave out every cell; `go tool ginkgo --dry-run -v ./scenarios` shows their names and labels")
	}
	if suite.ParallelProcess <= 1 && !suite.DryRun {
		if err := sitting.Make(); err != nil {
			refuse(err.Error())
		}
	}
	RunSpecs(t, "Tahan Uji: "+sitting.System+" on "+sitting.Backend.Name, suite, reporter)
}

// refuse ends the suite with the one line that says what to do, and exit code 3 (ginkgo itself then answers 1).
func refuse(why string) {
	fmt.Fprintln(os.Stderr, "tahanuji: "+why)
	os.Exit(3)
}

// inRoot makes the user's relative paths count from where ginkgo was typed: the suite itself runs in its own folder.
func inRoot(o session.Options, root string) session.Options {
	for _, path := range []*string{&o.Arch, &o.Sut, &o.Out, &o.Input} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(root, *path)
		}
	}
	return o
}

// describe makes a spec of each cell and each flaw.
func describe(s *session.Session) {
	Describe(s.System, func() {
		for _, c := range s.Cells {
			labels := Labels{"System:" + s.System, "Broker:" + c.On(s.Backend.Name), "Cell:" + reports.FolderName(c.ID)}
			for _, f := range c.Scenario.Faults() {
				labels = append(labels, "Fault:"+f)
			}
			for _, id := range c.Scenario.Aims {
				labels = append(labels, "Clause:"+string(id))
			}
			It(c.ID, labels, func(ctx SpecContext) { conforms(result(ctx, c.ID)) })
		}
		if c := s.Explored; c != nil {
			It(c.ID, Labels{"System:" + s.System, "Broker:" + session.Model, "Cell:" + reports.FolderName(c.ID)}, func(ctx SpecContext) { conforms(result(ctx, c.ID)) })
		}
		for _, f := range s.Flaws {
			It("catches "+f.ID, Labels{"Flaw:" + f.Flaw, "Cell:" + reports.FolderName(f.ID)}, func(ctx SpecContext) { caught(f.Flaw, result(ctx, f.ID)) })
		}
	})
}

// chosen says which cells' specs Ginkgo's own filters leave in. Labels can't hold a slash, so a cell's is its folder's name.
func chosen(preview Report) func(id string) bool {
	left := map[string]bool{}
	for _, spec := range preview.SpecReports {
		if spec.State.Is(types.SpecStateSkipped | types.SpecStatePending) {
			continue
		}
		for _, label := range spec.Labels() {
			left[label] = true
		}
	}
	return func(id string) bool { return left["Cell:"+reports.FolderName(id)] }
}

// conforms fails a spec whose run broke a clause, was cut short, or left a clause in doubt.
func conforms(r session.Result) {
	GinkgoHelper()
	if r.Skip != "" {
		Skip(r.Skip)
	}
	Expect(r.Err).NotTo(HaveOccurred(), "there was no run")
	for _, v := range r.Run.Verdicts {
		if v.Outcome == "broken" {
			Fail(fmt.Sprintf("%s is broken: %s\nrepeat: %s", v.Clause, v.Why, r.Run.Repeat))
		}
	}
	Expect(r.Run.Complete).To(BeTrue(), "the run was cut short: %s", r.Run.Err)
}

// caught fails a spec whose flaw broke none of the clauses that it must break.
func caught(flaw string, r session.Result) {
	GinkgoHelper()
	Expect(r.Err).NotTo(HaveOccurred(), "there was no run")
	if session.Caught(r.Run) {
		return
	}
	Fail(fmt.Sprintf("the flaw %s went unnoticed: it must break one of %v, and %v was broken", flaw, r.Run.Expected, session.BrokenIn(r.Run)))
}

// Several Ginkgo processes (-p) share the first one's out folder and run their own specs' cells, one after another. A single
// process runs cells beside each other, since they wait most of their time.
var _ = SynchronizedBeforeSuite(func() []byte {
	return []byte(sitting.Out)
}, func(out []byte) {
	sitting.Out = string(out)
	if alone() {
		runs = sitting.Background(ended, progress.New(os.Stderr, false, sitting.Size()))
	}
})

func alone() bool {
	suite, _ := GinkgoConfiguration()
	return suite.ParallelTotal == 1
}

func result(ctx context.Context, id string) session.Result {
	if runs != nil {
		return runs.Await(ctx, id)
	}
	return sitting.Do(ended, id)
}

var _ = ReportAfterSuite("report", func(r Report) {
	if r.SuiteConfig.DryRun {
		return // nothing was run
	}
	if len(r.SpecialSuiteFailureReasons) > 0 || ended.Err() != nil {
		sitting.Stop("interrupted")
	}
	ending()
	if runs != nil {
		runs.Wait()
	}
	report, err := sitting.Finish(time.Now())
	Expect(err).NotTo(HaveOccurred())
	fmt.Println()
	Expect(reports.Terminal(report, os.Stdout, filepath.Join(sitting.Out, "report.html"))).To(Succeed())
	if report.Verdict.Outcome == reports.Incomplete {
		Fail(reports.Sentence(report))
	}
})
