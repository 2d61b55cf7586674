package sut_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
)

const mixed = `
system: DOC
roles:
  till:
    plays: [terima]
    command: [SELF]
    env: {SERVICE: kafka, KAFKA: "{bootstrap}", TOPIC: "{topic:toko-pesanan}", PORT: "{port}"}
    ready: {port: "{port}"}
    accept:
      http: {url: "http://127.0.0.1:{port}/orders"}
      recorded: [201]
      refused: {status: [400]}
      event-id: /kode
      position: {partition: /at/partition, offset: /at/offset}
`

func TestAServiceIsVerifiedBesideTheReference(t *testing.T) {
	t.Parallel()
	doc, err := filepath.Abs(tokoYAML)
	must(t, err)
	path := filepath.Join(t.TempDir(), "sut.yaml")
	must(t, os.WriteFile(path, []byte(strings.NewReplacer("DOC", doc, "SELF", os.Args[0]).Replace(mixed)), 0o644))
	c, err := sut.LoadCommand(path)
	must(t, err)
	st := perform(t, load(t, c.Architecture()), c, nil)
	want := perform(t, load(t, tokoYAML), sut.Reference{}, nil)
	want.send(want.load.Sends)
	want.calm()

	lacks := c.Lacks(st.doc)
	if lacks[contract.NeedsAccept] != "" || lacks[contract.NeedsRows] != "" || lacks[contract.NeedsStore] != "" || lacks[contract.NeedsFields] == "" {
		t.Errorf("lacks %v", lacks)
	}
	if st.sys.Elapse(time.Hour) || st.sys.Store("kasir") != nil || st.sys.Store("buku-besar") == nil {
		t.Error("the clock and the store of a command are not ours; the reference's store is")
	}
	role := byName(t, st.sys.Roles(), "kasir")
	if len(st.sys.Roles()) != 3 || role != st.sys.Roles()[0] {
		t.Errorf("roles %v", st.sys.Roles())
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for _, s := range valid(st) {
			st.deliver(s.Event)
		}
	})
	for range 2 {
		time.Sleep(50 * time.Millisecond)
		must(t, role.Kill(t.Context(), 1))
		_, err := role.Start(t.Context(), 1)
		must(t, err)
	}
	wait.Wait()
	st.calm()
	if got := st.rows(); got != want.rows() {
		t.Errorf("got\n%s\nwant\n%s", got, want.rows())
	}
	doors := map[string]bool{}
	for _, x := range st.proxy.Ledger() {
		doors[x.Door] = true
	}
	if !doors["kasir/1"] || !doors["buku-besar/1"] || !doors["papan-tulis/1"] {
		t.Errorf("doors %v", doors)
	}
	if a := st.sys.Send(st.ctx, "kasir", st.load.Sends[0].Event.Record); a.Phase != history.OK || a.Where == nil || a.Where.Topic != "toko-pesanan" ||
		a.EventID != st.load.Sends[0].Event.ID {
		t.Errorf("%+v", a)
	}
}
