package sut

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// display is a sut.yaml for the display alone.
func display(shows, rows string) string {
	return fmt.Sprintf(`
roles:
  layar:
    plays: [tampilkan]
    command: [SELF]
    env: {SERVICE: http, PORT: "{port}", KAFKA: "{bootstrap}", ROWS: '%s'}
    ready: {port: "{port}"}
    rows: %s
    stop: {within: 5s}
`, shows, rows)
}

// board starts the display alone: what it shows depends on no broker, so the roles beside it are nobody's.
func board(t *testing.T, yaml string) System {
	t.Helper()
	doc := toko()
	for i := range doc.Flows {
		if doc.Flows[i].Role != "papan" {
			doc.Flows[i].Role = "papan"
		}
	}
	s, err := command(t, doc, strings.Replace(yaml, "plays: [tampilkan]", "plays: [tampilkan, terima, jumlahkan, umumkan]", 1)).
		Start(t.Context(), environment(t, doc))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func asked(t *testing.T, shows, rows string) (string, error) {
	t.Helper()
	got, err := board(t, display(shows, rows)).Rows(t.Context(), "papan")
	var out []string
	for _, r := range got {
		out = append(out, fmt.Sprintf("%s=%s %v", strings.Join(r.Key, "|"), r.Value, r.ByField))
	}
	return strings.Join(out, "; "), err
}

func TestRowsOfEveryShape(t *testing.T) {
	t.Parallel()
	const url = `http: {url: "http://127.0.0.1:{port}/rows"}`
	for _, c := range []struct{ name, shows, rows, want string }{
		{"the record's data, keys by the document", `[{"toko":"t1","hari":"2026-11-07","total":12.50}]`, `{` + url + `}`,
			`t1|2026-11-07={"toko":"t1","hari":"2026-11-07","total":12.50} false`},
		{"a map of fields", `{"rows":[{"t":"t1","h":3,"sum":{"rp":12.50}}]}`,
			`{` + url + `, at: /rows, key: [/t, /h], value: {/isi/total: /sum/rp}}`, `t1|3={"/isi/total":12.50} true`},
		{"a map of maps", `{"t1":{"a":{"total":1},"b":{"total":2}},"t2":{}}`, `{` + url + `, shape: map, value: {/isi/total: /total}}`,
			`t1|a={"/isi/total":1} true; t1|b={"/isi/total":2} true`},
		{"no rows", `[]`, `{` + url + `}`, ``},
		{"pages", ``, `{http: {url: "http://127.0.0.1:{port}/pages/1"}, at: /rows, next: /next, key: [/toko, /hari], value: {/isi/total: /total}}`,
			`t1|1={"/isi/total":"5"} true; t2|1={"/isi/total":"6"} true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := asked(t, c.shows, c.rows); err != nil || got != c.want {
				t.Errorf("got  %s\nwant %s\nerror %v", got, c.want, err)
			}
		})
	}
}

func TestADisplayThatAnswersRubbishIsQuoted(t *testing.T) {
	t.Parallel()
	const url = `http: {url: "http://127.0.0.1:{port}/rows"}`
	for _, c := range []struct{ shows, rows, want string }{
		{`<html>`, `{` + url + `}`, `the answer is no JSON: "<html>"`},
		{`{"a":1}`, `{` + url + `, at: /rows}`, `nothing at "/rows"`},
		{`{"rows":1}`, `{` + url + `, at: /rows}`, `is no array: "1"`},
		{`[{"toko":"t1"}]`, `{` + url + `}`, `row 0 names no key at /hari`},
		{`[7]`, `{` + url + `}`, `row 0 names no key at /toko`},
		{`{"t1":5}`, `{` + url + `, shape: map}`, `a map is expected: "5"`},
		{``, `{http: {url: "http://127.0.0.1:{port}/nowhere"}}`, `status 404`},
	} {
		if got, err := asked(t, c.shows, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %s, error %v, want %s", c.shows, got, err, c.want)
		}
	}
}

func TestOneServiceOverStandardInputAndOutput(t *testing.T) {
	t.Parallel()
	s, _ := running(t, only(toko(), "kasir"), `
roles:
  kasir:
    plays: [terima]
    command: [SELF]
    env: {SERVICE: stdio, KAFKA: "{bootstrap}"}
    ready: {line: service begins}
    accept: {stdio: {}, within: 2s}
`)
	send := func(do string) Answer { return s.Send(t.Context(), "kasir", record(do)) }
	if a := send("ok"); a.Phase != history.OK || a.EventID != "e-1" || a.Where == nil || a.Where.Offset != 7 || a.Where.Topic != "pesanan" {
		t.Errorf("%+v", a)
	}
	if a := send("refuse"); a.Phase != history.Fail || !slices.Equal(a.Fields, []contract.Pointer{"/isi/jumlah"}) {
		t.Errorf("%+v", a)
	}
	if a := send("rubbish"); a.Phase != history.Unknown || !strings.Contains(a.Err, "neither recorded nor refused") || !a.Reached {
		t.Errorf("%+v", a)
	}
	held := make(chan Answer, 1)
	go func() { held <- send("hold") }()
	time.Sleep(50 * time.Millisecond) // if it is not enough, the answers come in order, which is well too
	if a := send("ok"); a.Phase != history.OK || a.EventID != "e-1" {
		t.Errorf("%+v", a)
	}
	select {
	case a := <-held:
		if a.Phase == history.OK && a.EventID != "held" {
			t.Errorf("answers were mixed up: %+v", a)
		}
	case <-time.After(5 * time.Second):
		t.Error("no end of a question that was held")
	}
	if a := send("die"); a.Phase != history.Unknown || !strings.Contains(a.Err, "ended before it answered") {
		t.Errorf("%+v", a)
	}
}

func TestRowsOverStandardInputAndOutput(t *testing.T) {
	t.Parallel()
	yaml := strings.NewReplacer("SERVICE: http", "SERVICE: stdio", `ready: {port: "{port}"}`, "ready: {line: service begins}").Replace(
		display(`[{"toko":"t1","hari":"h1","total":1}]`, "stdio"))
	s := board(t, yaml)
	rows, err := s.Rows(t.Context(), "papan")
	if err != nil || len(rows) != 1 || strings.Join(rows[0].Key, "|") != "t1|h1" || string(rows[0].Value) != `{"toko":"t1","hari":"h1","total":1}` {
		t.Errorf("%v %v", rows, err)
	}
}

func TestEventsOfOneKeyAreHandedOverOneByOne(t *testing.T) {
	t.Parallel()
	g := newGate(command(t, only(toko(), "kasir"), strings.Replace(recorder("http"), "within: 2s", "concurrency: one-per-key", 1)).file.Roles[0].Accept)
	leave, err := g.enter(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := g.enter(t.Context(), "b"); err != nil {
		t.Errorf("another key waits: %v", err)
	} else {
		other()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.enter(ctx, "a"); err == nil {
		t.Error("two events of a key are in flight")
	}
	leave()
	if _, err := g.enter(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}
