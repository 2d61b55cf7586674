package sut_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tahanuji/faults/proxy"
	"tahanuji/system/broker"
	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/workload"
)

// stage is a broker, a proxy and a system, as a run has them.
type stage struct {
	t     *testing.T
	ctx   context.Context
	doc   *contract.Document
	rec   *history.Recorder
	proxy *proxy.Proxy
	look  *observe.Observer
	load  *workload.Load
	sys   sut.System
	addrs []string // of the broker itself
}

func load(t *testing.T, path string) *contract.Document {
	t.Helper()
	doc, err := contract.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

const (
	sensorYAML = "../sensor/architecture.yaml"
	tokoYAML   = "../contract/testdata/toko/architecture.yaml"
)

// perform starts an adapter on the embedded broker behind the proxy.
func perform(t *testing.T, doc *contract.Document, adapter sut.Adapter, change func(*sut.Env)) *stage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	st := &stage{t: t, ctx: ctx, doc: doc, rec: history.NewRecorder()}
	var err error
	fatal := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b, err := broker.Embedded().Start(ctx, broker.Config{Nodes: 1, Topics: doc.Topics})
	fatal()
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	st.addrs = b.Addrs()
	st.load, err = workload.Make(doc, workload.Options{Seed: 7, Events: 120, Base: time.Date(2026, 11, 7, 8, 0, 0, 0, time.UTC)})
	fatal()
	st.proxy, err = proxy.New(ctx, proxy.Config{Upstream: b.Addrs(), Label: workload.Identify(doc, st.load), Started: st.rec.Elapsed})
	fatal()
	t.Cleanup(func() { _ = st.proxy.Close(context.Background()) })
	st.look, err = observe.New(b.Addrs())
	fatal()
	t.Cleanup(st.look.Close)
	env := sut.Env{Doc: doc, Doors: st.proxy, Dir: t.TempDir(), Seed: 7, Base: st.load.Base, Rec: st.rec,
		Group: func(ctx context.Context, group string) (int, error) {
			g, err := st.look.Group(ctx, group)
			return len(g.Members), err
		}}
	if change != nil {
		change(&env)
	}
	st.sys, err = adapter.Start(ctx, env)
	fatal()
	t.Cleanup(func() {
		if err := st.sys.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return st
}

// send sends a part of the load, each key in its order, again until an answer is there; invalid events must be refused.
func (st *stage) send(sends []workload.Send) {
	st.t.Helper()
	lanes := map[string][]workload.Send{}
	for _, s := range sends {
		lanes[s.Event.Key] = append(lanes[s.Event.Key], s)
	}
	var wait sync.WaitGroup
	for _, lane := range lanes {
		wait.Go(func() {
			for _, s := range lane {
				st.deliver(s.Event)
			}
		})
	}
	wait.Wait()
}

func (st *stage) deliver(e workload.Event) {
	want := history.OK
	if !e.Valid() {
		want = history.Fail
	}
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		a := st.sys.Send(st.ctx, st.load.Role, e.Record)
		if a.Phase == history.Unknown {
			continue
		}
		// Text that is no JSON has no fields to name.
		if a.Phase != want || want == history.Fail && json.Valid(e.Record) && !slices.Equal(sorted(a.Fields), sorted(e.Wrong)) {
			st.t.Errorf("%s %s (%s wrong): %+v", e.Label, e.Record, e.Wrong, a)
		}
		return
	}
	st.t.Errorf("%s got no answer within 20s", e.Label)
}

func sorted(ps []contract.Pointer) []contract.Pointer {
	out := slices.Clone(ps)
	slices.Sort(out)
	return slices.Compact(out)
}

// rest waits until the groups have read everything and nothing new comes, moves the clock, and waits again.
func (st *stage) rest() {
	st.t.Helper()
	st.calm()
	if st.sys.Elapse(time.Hour) {
		st.calm()
	}
}

func (st *stage) calm() {
	st.t.Helper()
	last, since := "", time.Now()
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		now := ""
		lag := int64(0)
		for _, g := range st.doc.Groups {
			lags, err := st.look.Lag(st.ctx, g.Name, g.Reads...)
			if err != nil {
				now += err.Error()
			}
			for _, l := range lags {
				lag += l
			}
		}
		for _, topic := range st.doc.Topics {
			ends, err := st.look.Ends(st.ctx, topic.Name)
			now += fmt.Sprint(topic.Name, ends, err)
		}
		if now != last || lag > 0 {
			last, since = now, time.Now()
		}
		if time.Since(since) > 200*time.Millisecond {
			return
		}
	}
	st.t.Fatalf("no calm within 20s; last seen: %s", last)
}

// rows are what the display shows, one line a row.
func (st *stage) rows() string {
	st.t.Helper()
	rows, err := st.sys.Rows(st.ctx, st.doc.RolesOf(contract.Display)[0].Name)
	if err != nil {
		st.t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		out = append(out, strings.Join(r.Key, "|")+" "+string(r.Value))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func (st *stage) roleOf(kind contract.Kind) string { return st.doc.RolesOf(kind)[0].Name }

// events counts the events of an operation with a key.
func (st *stage) events(op, key string) int {
	n := 0
	for _, e := range st.rec.Events() {
		if e.Op == op && (key == "" || e.Key == key) {
			n++
		}
	}
	return n
}
