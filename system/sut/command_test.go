package sut

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// toko is a document that nobody's engine knows: other names for everything.
func toko() *contract.Document {
	fold := &contract.Fold{By: []contract.Pointer{"/isi/toko"}, Window: contract.Window{Into: "/isi/hari"},
		Into: []contract.Aggregate{{Into: "/isi/total", Op: "sum", Of: "/isi/jumlah"}}}
	return &contract.Document{
		ID:       "toko",
		Topics:   []contract.Topic{{Name: "pesanan", Key: contract.Key{From: "/isi/toko"}}, {Name: "harian", Key: contract.Key{From: "/isi/toko"}}},
		Envelope: contract.Envelope{ID: "/id", Data: "/isi"},
		Groups:   []contract.Group{{Name: "penjumlah", Reads: []string{"pesanan"}}, {Name: "layar", Reads: []string{"harian"}}},
		Flows: []contract.Flow{
			{Name: "terima", Role: "kasir", Kind: contract.Recorder, Writes: "pesanan"},
			{Name: "jumlahkan", Role: "gudang", Kind: contract.Summarizer, Reads: "pesanan", Group: "penjumlah", Fold: fold},
			{Name: "umumkan", Role: "gudang", Kind: contract.Summarizer, Writes: "harian", OverwriteKey: []contract.Pointer{"/isi/toko", "/isi/hari"}},
			{Name: "tampilkan", Role: "papan", Kind: contract.Display, Reads: "harian", Group: "layar"},
		},
	}
}

type doors struct{}

func (doors) Open(role string, instance int) (string, error) {
	return fmt.Sprintf("%s.%d.door:9092", role, instance), nil
}
func (doors) Cut(string, int)  {}
func (doors) Mend(string, int) {}

// only keeps the flows of some roles, so that nothing is left to the reference.
func only(doc *contract.Document, roles ...string) *contract.Document {
	doc.Flows = slices.DeleteFunc(doc.Flows, func(f contract.Flow) bool { return !slices.Contains(roles, f.Role) })
	return doc
}

func write(t *testing.T, yaml string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sut.yaml")
	yaml = strings.ReplaceAll(yaml, "SELF", os.Args[0])
	if err := os.WriteFile(path, []byte(yaml), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func command(t *testing.T, doc *contract.Document, yaml string) *Command {
	t.Helper()
	c, err := LoadCommand(write(t, yaml))
	if err == nil {
		err = c.Bind(doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func environment(t *testing.T, doc *contract.Document) Env {
	t.Helper()
	return Env{Doc: doc, Doors: doors{}, Dir: t.TempDir(), Seed: 42, Rec: history.NewRecorder()}
}

func running(t *testing.T, doc *contract.Document, yaml string) (*commands, Env) {
	t.Helper()
	env := environment(t, doc)
	s, err := command(t, doc, yaml).Start(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s.(*commands), env
}

// recorder is a sut.yaml for the recorder alone; what is added goes to its role.
func recorder(mode string, more ...string) string {
	return `
roles:
  kasir:
    plays: [terima]
    command: [SELF, "topic={topic:pesanan}", "{{literal}", "${SHELL}"]
    env: {SERVICE: ` + mode + `, PORT: "{port}", KAFKA: "{bootstrap}", STATE: "{state}", INSTANCE: "{instance}", SEED: "{seed}"}
    accept:
      http: {url: "http://127.0.0.1:{port}/events", headers: {X-Token: "t-{instance}"}}
      recorded: [200, 201]
      refused: {status: [400, 422], fields: {at: /errors, field: /field}}
      event-id: /id
      position: {partition: /where/p, offset: /where/o}
      within: 2s
    stop: {within: 2s}
` + strings.Join(more, "\n")
}

const healthy = `    ready: {http: "http://127.0.0.1:{port}/healthz", within: 10s}`

func record(do string) []byte {
	return fmt.Appendf(nil, `{"id":"e-1","isi":{"toko":"t1","do":%q}}`, do)
}

func TestAnswersOverHTTPAreTakenForWhatTheyPromise(t *testing.T) {
	t.Parallel()
	s, _ := running(t, only(toko(), "kasir"), recorder("http", healthy))
	for _, c := range []struct {
		do    string
		phase history.Phase
		err   string
	}{
		{"ok", history.OK, ""},
		{"rubbish", history.OK, "names no event id at /id"},
		{"refuse", history.Fail, ""},
		{"redirect", history.Unknown, "status 302"},
		{"fail", history.Unknown, "status 500"},
		{"cut", history.Unknown, "broke off"},
		{"hang", history.Unknown, "no answer within 2s"},
	} {
		a := s.Send(t.Context(), "kasir", record(c.do))
		if a.Phase != c.phase || !strings.Contains(a.Err, c.err) || (c.err == "") != (a.Err == "") || !a.Reached {
			t.Errorf("%s: %+v", c.do, a)
		}
		switch c.do {
		case "ok":
			if a.EventID != "e-1" || a.Where == nil || *a.Where != (history.Position{Topic: "pesanan", Partition: 2, Offset: 41}) {
				t.Errorf("ok: %+v", a)
			}
		case "refuse":
			if !slices.Equal(a.Fields, []contract.Pointer{"/isi/jumlah", "/isi/toko", "/isi/kasir"}) {
				t.Errorf("refuse: fields %q", a.Fields)
			}
		}
	}
	if a := s.Send(t.Context(), "kasir", []byte(`{"id":`)); a.Phase != history.Fail || len(a.Fields) != 1 || a.Fields[0] != "" {
		t.Errorf("text that is no JSON is handed over as it is, and refused: %+v", a)
	}
}

func TestARoleThatSetsTheEnvelopeGetsTheDataAlone(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(recorder("http", healthy), `/events"`, `/events", body: data`, 1)
	doc := only(toko(), "kasir")
	s, _ := running(t, doc, yaml)
	a := s.Send(t.Context(), "kasir", record("ok"))
	if a.Phase != history.OK || a.EventID != "" {
		t.Errorf("the service was to see no envelope: %+v", a)
	}
	if why := command(t, doc, yaml).Lacks(doc)[contract.NeedsSourceID]; !strings.Contains(why, "body: data") {
		t.Errorf("lacks %q", why)
	}
}

func ask(t *testing.T, in *instance) (env map[string]string, args []string, pid int) {
	t.Helper()
	in.mu.Lock()
	port := in.port
	in.mu.Unlock()
	res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/env", port))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Env, Args []string
		PID       int
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	env = map[string]string{}
	for _, e := range answer.Env {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	return env, answer.Args[1:], answer.PID
}

func TestPlaceholdersAreFilledAndTheEnvironmentIsClosed(t *testing.T) {
	t.Setenv("SECRET", "of the suite")
	t.Setenv("WANTED", "passed on")
	s, env := running(t, only(toko(), "kasir"), "inherit: [WANTED]"+recorder("http", healthy, "    instances: 2"))
	for i, in := range s.roles[0].all() {
		got, args, _ := ask(t, in)
		if !slices.Equal(args, []string{"topic=pesanan", "{literal}", "${SHELL}"}) {
			t.Errorf("arguments %q", args)
		}
		want := map[string]string{"KAFKA": fmt.Sprintf("kasir.%d.door:9092", i+1), "INSTANCE": fmt.Sprint(i + 1), "SEED": "42",
			"WANTED": "passed on", "SECRET": "", "STATE": filepath.Join(env.Dir, "state", "kasir"), "PATH": os.Getenv("PATH")}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("instance %d: %s=%q, want %q", i+1, name, got[name], value)
			}
		}
	}
	if a, b := s.roles[0].all()[0].port, s.roles[0].all()[1].port; a == b || a == 0 {
		t.Errorf("ports %d and %d", a, b)
	}
}

func TestAPrefixStandsBeforeNamesOfTopics(t *testing.T) {
	t.Parallel()
	doc := only(toko(), "kasir")
	c := command(t, doc, "broker: {topics: prefixed}"+recorder("http", healthy))
	if !c.Prefixed() {
		t.Error("the file says prefixed")
	}
	env := environment(t, doc)
	env.Prefix = "run7."
	s, err := c.Start(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if _, args, _ := ask(t, s.(*commands).roles[0].all()[0]); args[0] != "topic=run7.pesanan" {
		t.Errorf("arguments %q", args)
	}
}

// events are the role events of an instance, such as "started".
func events(env Env, proc string) []string {
	var out []string
	for _, e := range env.Rec.Events() {
		if e.Op == history.OpRole && e.Proc == proc {
			out = append(out, e.Key)
		}
	}
	return out
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not within 10s: %s", what)
}
