package contract

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func mustLoad(t testing.TB, file string) *Document {
	t.Helper()
	d, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const shop = "testdata/toko/architecture.yaml"

func TestADocumentOfAnotherDomainIsReadAsItStands(t *testing.T) {
	d := mustLoad(t, shop)
	if faults := Lint(d, today); len(faults) > 0 {
		t.Errorf("lint: %v", faults)
	}
	if d.Envelope != (Envelope{ID: "/kode", Type: "/jenis", Time: "/waktu", Data: "/isi"}) {
		t.Errorf("envelope %+v", d.Envelope)
	}
	if d.Replay != nil || d.Capacity != nil || len(d.Waivers) != 0 {
		t.Error("parts that the document does not have were made up")
	}
	if got := d.Source; got != (Source{Resend: "times", Times: 3, After: 2 * time.Second, Concurrency: 4}) {
		t.Errorf("source %+v", got)
	}
	var kinds []string
	for _, r := range d.Roles() {
		kinds = append(kinds, fmt.Sprintf("%s %s %d", r.Name, r.Kind, len(r.Flows)))
	}
	if want := []string{"kasir recorder 1", "buku-besar summarizer 2", "papan-tulis display 1"}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("roles %q, want %q", kinds, want)
	}
	f := d.Flow("jumlahkan")
	if out := d.Out(f); out == nil || out.Name != "terbitkan" || !reflect.DeepEqual(out.KeyFields(f.Fold.Window), []Pointer{"/isi/toko"}) {
		t.Errorf("the summaries of jumlahkan are written by %+v", out)
	}
	want := []Aggregate{{"/isi/pesanan", "count", "", -1}, {"/isi/omzet", "sum", "/isi/harga", -1}, {"/isi/terbesar", "max", "/isi/harga", -1}, {"/isi/barang", "sum", "/isi/barang", -1}}
	if !reflect.DeepEqual(f.Fold.Into, want) {
		t.Errorf("aggregates %+v", f.Fold.Into)
	}
	if w := f.Fold.Window; w.Size != Day || w.Zone != "Asia/Jakarta" || w.As != "date" || w.Grace != 0 || f.Fold.Emit != "on-change" || f.Fold.Close != 0 {
		t.Errorf("fold %+v", f.Fold)
	}
	if g := d.Group("pembukuan"); g.Lag == nil || g.Lag.Max != 0 || g.Lag.Within != 90*time.Second || d.Group("papan").Lag != nil {
		t.Errorf("groups %+v", d.Groups)
	}
	if key, ok := d.Topic("toko-pesanan").KeyOf(d.Payload("pesanan").Examples[0]); key != "toko-melati" || !ok || !d.Topic("toko-pesanan").Key.Matches(key) {
		t.Errorf("key %q", key)
	}
	if text := string(d.Payload("pesanan").Examples[0]); !strings.Contains(text, `"harga":125000.50`) {
		t.Errorf("a number lost its digits: %s", text)
	}
}

func TestWhatADocumentLeavesOutIsNotThere(t *testing.T) {
	d, err := Parse("a.yaml", []byte(`
contract: v1
id: least
topics: {t: {partitions: 1, key: {from: /id}}}
envelope: {id: /id, type: /type, time: /time, data: ""}
payloads: {}
flows: {f: {role: r, writes: t}}
`), fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Flows[0].Kind != Recorder {
		t.Errorf("a role that only writes is a %q", d.Flows[0].Kind)
	}
	if d.Source != (Source{Resend: "never", OnePerKey: true, Concurrency: 1}) || d.Workload.From != "schema" {
		t.Errorf("source %+v, workload %+v", d.Source, d.Workload)
	}
	if faults := Lint(d, today); len(faults) > 0 {
		t.Errorf("lint: %v", faults)
	}
}

func TestTheFormTakesEachWayOfWritingAPart(t *testing.T) {
	for _, c := range []struct {
		name, old, fresh string
		is               func(*Document) bool
	}{
		{"N times", "resend: until-recorded", "resend: 7 times", func(d *Document) bool { return d.Source.Times == 7 && d.Source.Resend == "times" }},
		{"once", "resend: until-recorded", "resend: 1 time", func(d *Document) bool { return d.Source.Times == 1 }},
		{"times as a mapping", "resend: until-recorded", "resend: {times: 2}", func(d *Document) bool { return d.Source.Times == 2 }},
		{"never", "{resend: until-recorded, after: PT1S, concurrency: one-per-key}", "{resend: never}", func(d *Document) bool { return d.Source.Times == 0 && d.Source.OnePerKey }},
		{"N in flight", "one-per-key", "16", func(d *Document) bool { return !d.Source.OnePerKey && d.Source.Concurrency == 16 }},
		{"templates", "{from: schema}", "{templates: [{no: x}, {no: y}], unique: [/no]}", func(d *Document) bool {
			return d.Workload.From == "templates" && string(d.Workload.Templates[1]) == `{"no":"y"}` && d.Workload.Unique[0] == "/no"
		}},
		{"a file", "{from: schema}", "{from: file, file: events.jsonl}", func(d *Document) bool { return d.Workload.File == "events.jsonl" }},
		{"acks as a number", "{acks: all, idempotent: true}", "{acks: 1}", func(d *Document) bool { return d.Flow("weigh").Producer.Acks == "1" }},
		{"count", "{sum: /body/grams}", "count", func(d *Document) bool { return d.Flow("add").Fold.Into[0] == Aggregate{"/body/sum", "count", "", -1} }},
		{"mean with decimals", "{sum: /body/grams}", "{mean: /body/grams, decimals: 0}", func(d *Document) bool {
			return d.Flow("add").Fold.Into[0] == Aggregate{"/body/sum", "mean", "/body/grams", 0}
		}},
		{"mean without decimals", "{sum: /body/grams}", "{mean: /body/grams}", func(d *Document) bool { return d.Flow("add").Fold.Into[0].Decimals == -1 }},
		{"a kind for a role of another name", "role: recorder,", "role: scales, kind: recorder,", func(d *Document) bool { return d.Role("scales").Kind == Recorder }},
		{"a config that is a text", "retention.ms: 604800000}", "retention.ms: 604800000, cleanup.policy: delete}", func(d *Document) bool { return d.Topic("parcels").Config["cleanup.policy"] == "delete" }},
		{"an alias", "key: {from: /body/depot}\n    payload: weight", "key: &k {from: /body/depot}\n    payload: weight\n  spare: {partitions: 1, key: *k}", func(d *Document) bool { return d.Topic("spare").Key.From == "/body/depot" }},
		{"a bound without a number", "{max: 100, within: PT30S}", "{within: PT30S}", func(d *Document) bool { return d.Group("scale").Lag.Max == 0 }},
		{"a mean, min and max in one", "{/body/sum: {sum: /body/grams}}", "{/body/sum: {min: /body/grams}, /body/no: {max: /body/grams}}", func(d *Document) bool { return len(d.Flow("add").Fold.Into) == 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := base(t)
			files["events.jsonl"] = &fstest.MapFile{Data: []byte("{}\n")}
			text := strings.Replace(string(files["architecture.yaml"].Data), c.old, c.fresh, 1)
			if text == string(files["architecture.yaml"].Data) {
				t.Fatalf("%q does not stand in the base", c.old)
			}
			d, err := Parse("architecture.yaml", []byte(text), files)
			if err != nil {
				t.Fatal(err)
			}
			if !c.is(d) {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestAFlowAloneSaysWhatItsRoleIs(t *testing.T) {
	d := mustLoad(t, shop)
	for name, want := range map[string]Kind{"terima": Recorder, "jumlahkan": Summarizer, "terbitkan": Summarizer, "pampang": Display} {
		if got := d.Flow(name).Kind; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestTheDigestChangesWithTheDocumentAndItsDecisions(t *testing.T) {
	digest := func(change func(fstest.MapFS)) string {
		files := base(t)
		change(files)
		d, err := Parse("architecture.yaml", files["architecture.yaml"].Data, files)
		if err != nil {
			t.Fatal(err)
		}
		return d.Digest
	}
	first := digest(func(fstest.MapFS) {})
	if first != digest(func(fstest.MapFS) {}) || len(first) != 64 {
		t.Errorf("digest %q is not stable", first)
	}
	for name, change := range map[string]func(fstest.MapFS){
		"document": func(f fstest.MapFS) { f["architecture.yaml"].Data = append(f["architecture.yaml"].Data, "# more\n"...) },
		"decision": func(f fstest.MapFS) { f["adr/1-numbers.md"].Data = append(f["adr/1-numbers.md"].Data, "More.\n"...) },
		"name": func(f fstest.MapFS) {
			f["adr/3-longer.md"] = f["adr/2-longer.md"]
			delete(f, "adr/2-longer.md")
		},
	} {
		if digest(change) == first {
			t.Errorf("a change of the %s leaves the digest as it was", name)
		}
	}
	readme := digest(func(f fstest.MapFS) { f["adr/README.md"] = &fstest.MapFile{Data: []byte("read me")} })
	if readme != first {
		t.Error("a README is no decision, and the digest changed with it")
	}
}

func TestWindowsLineEndsAreRead(t *testing.T) {
	files := base(t)
	for _, f := range files {
		f.Data = []byte(strings.ReplaceAll(string(f.Data), "\n", "\r\n"))
	}
	if faults := found(t, files); len(faults) > 0 {
		t.Fatal(faults)
	}
}

func TestAMissingFileIsNoFaultOfTheDocument(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"))
	if faults := (Faults)(nil); err == nil || errors.As(err, &faults) || !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

func TestAHostileFileIsRefusedAndNotExpanded(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for name, text := range map[string]string{
		"aliases of aliases": laughs.String(),
		"depth":              strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"size":               strings.Repeat("# ", 4<<20),
		"an alias of itself": "a: &a [*a]\n",
	} {
		_, err := Parse("a.yaml", []byte(text), fstest.MapFS{})
		var faults Faults
		if !errors.As(err, &faults) || len(faults) > 200 {
			t.Errorf("%s: %d faults, %.300v", name, len(faults), err)
			continue
		}
		limited := false
		for _, f := range faults {
			limited = limited || f.Rule == "limit" || f.Rule == "syntax"
		}
		if !limited {
			t.Errorf("%s: no limit was told: %v", name, err)
		}
	}
}

func TestEachFaultIsOneLineWithItsPlaceAndWhatToDo(t *testing.T) {
	_, err := Parse("dir/a.yaml", []byte("contract: v1\nid: [x]\n"), fstest.MapFS{})
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 5 || lines[0] != "dir/a.yaml:1:1: the document lacks envelope; add it" || lines[4] != "dir/a.yaml:2:5: the document.id is a list; write a text" {
		t.Errorf("got\n%s", err)
	}
}

func FuzzLoadNeverPanics(f *testing.F) {
	files := base(f)
	f.Add(files["architecture.yaml"].Data, files["adr/1-numbers.md"].Data)
	f.Add(files["architecture.yaml"].Data, files["adr/2-longer.md"].Data)
	for _, name := range []string{shop, "../sensor/architecture.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, []byte("---\nid: x\n---\n"))
	}
	f.Add([]byte("a: &a [*a]\n<<: *a\n? [x]\n: y\n"), []byte("---\n"))
	f.Fuzz(func(t *testing.T, text, decision []byte) {
		d, err := Parse("a.yaml", text, fstest.MapFS{"adr/1.md": {Data: decision}})
		if err != nil {
			var faults Faults
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("no Faults: %v", err)
			}
			return
		}
		Lint(d, today)
		Clauses(d)
	})
}
