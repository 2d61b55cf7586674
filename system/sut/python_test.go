package sut

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

func TestAnUnmodifiedServiceInPythonIsTakenHoldOf(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here: install Python 3 to run this test")
	}
	c, err := LoadCommand("testdata/recorder.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := contract.Load(c.Architecture())
	if err != nil {
		t.Fatal(err)
	}
	// The document with its recorder alone: a broker is nobody's here.
	env := environment(t, only(doc, "kasir"))
	s, err := c.Start(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	const good = `{"kode":"P-0000000017","jenis":"pesanan_dibayar","waktu":"2026-03-02T23:59:59+07:00","isi":{"toko":"toko-melati","harga":1.5,"barang":3}}`
	if a := s.Send(t.Context(), "kasir", []byte(good)); a.Phase != history.OK || a.EventID != "P-0000000017" {
		t.Errorf("%+v", a)
	}
	for bad, fields := range map[string][]contract.Pointer{
		strings.Replace(good, "P-00", "Q-00", 1):                                         {"/kode"},
		strings.Replace(strings.Replace(good, ":3}", ":true}", 1), "-0000000017", "", 1): {"/kode", "/isi/barang"},
		good[:40]: {""},
	} {
		if a := s.Send(t.Context(), "kasir", []byte(bad)); a.Phase != history.Fail || !slices.Equal(a.Fields, fields) {
			t.Errorf("%s: %+v", bad, a)
		}
	}
	role := s.Roles()[0]
	if err := role.Kill(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if a := s.Send(t.Context(), "kasir", []byte(good)); a.Phase != history.Unknown || a.Reached {
		t.Errorf("%+v", a)
	}
	if _, err := role.Start(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is ready again", func() bool {
		return slices.Equal(events(env, "kasir/1"), []string{"started", "ready", "killed", "started", "ready"})
	})
	if a := s.Send(t.Context(), "kasir", []byte(good)); a.Phase != history.OK {
		t.Errorf("%+v", a)
	}
	kept, err := os.ReadFile(filepath.Join(env.Dir, "state", "kasir", "recorded.jsonl"))
	if err != nil || strings.Count(string(kept), good+"\n") != 2 {
		t.Errorf("the state outlives a kill: %q, %v", kept, err)
	}
}
