package inside

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/memory"
	"tahanuji/reference/port/storetest"
	"tahanuji/system/target"
)

func TestAStoreThatIsNotHurtIsAStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() port.Store {
		s, h := memory.New(), NewHurting()
		return func() port.Store { return h.Wrap(s) }
	})
}

func TestStoresInFilesAndInMemoryOutliveTheirUsers(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		stores := NewStores(dir)
		value := func(instance int, shared bool) string {
			t.Helper()
			s, err := stores.Open(t.Context(), instance, shared)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			var before []byte
			if err := s.Update(t.Context(), func(tx port.Tx) error {
				got, _, err := tx.Get("b", "k")
				before = append(before, got...)
				return errors.Join(err, tx.Put("b", "k", []byte("kept")))
			}); err != nil {
				t.Fatal(err)
			}
			return string(before)
		}
		if value(1, true) != "" || value(2, true) != "kept" || value(2, false) != "" || value(1, false) != "" || value(2, false) != "kept" {
			t.Errorf("%q: what is shared is kept for all, what is not for one instance", dir)
		}
		if err := stores.Empty(); err != nil || value(1, true) != "" {
			t.Errorf("%q: emptied: %v", dir, err)
		}
	}
}

func TestAHurtActsUntilItIsHealedAndCounts(t *testing.T) {
	h := NewHurting()
	s := h.Wrap(memory.New())
	put := func() error {
		return s.Update(t.Context(), func(tx port.Tx) error {
			return errors.Join(tx.Put("b", "k", nil), tx.Put("b", "l", nil))
		})
	}
	read := func() error {
		return s.Update(t.Context(), func(tx port.Tx) error {
			_, _, err := tx.Get("b", "k")
			return errors.Join(err, tx.Delete("b", "k"))
		})
	}
	heal := h.Hurt(target.StoreFail, 0)
	if put() == nil || read() == nil || heal() != 2 {
		t.Error("a store that fails fails for all, and each is counted")
	}
	heal = h.Hurt(target.StoreFull, 0)
	if put() == nil || read() != nil || heal() != 1 {
		t.Error("a full disk refuses writes alone, and each transaction is counted once")
	}
	heal = h.Hurt(target.StoreSlow, 20*time.Millisecond)
	begun := time.Now()
	if put() != nil || time.Since(begun) < 20*time.Millisecond || heal() != 1 {
		t.Error("a slow store takes longer, and goes on")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	heal = h.Hurt(target.StoreSlow, time.Hour)
	if s.Update(ctx, func(port.Tx) error { return nil }) == nil || heal() != 1 {
		t.Error("a wait ends with its caller")
	}
	heal = h.Hurt(target.Kill, 0)
	if put() != nil || read() != nil || heal() != 0 {
		t.Error("it is healed, and a verb that is not a store's does nothing")
	}
}

func TestAShutGateFreezesConnectionsUntilItOpens(t *testing.T) {
	gate := NewGate()
	here, there := net.Pipe()
	defer func() { _ = there.Close() }()
	conn, err := Dial(gate, func(context.Context, string, string) (net.Conn, error) { return here, nil })(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	gate.Shut()
	gate.Shut()
	wrote := make(chan error, 1)
	go func() {
		_, err := conn.Write([]byte("heartbeat"))
		wrote <- err
	}()
	if err := there.SetReadDeadline(time.Now().Add(30 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := there.Read(make([]byte, 9)); err == nil || n > 0 {
		t.Error("a frozen process sent a heartbeat")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if gate.PassOr(ctx) == nil {
		t.Error("somebody passed a shut gate")
	}
	gate.Open()
	gate.Open()
	if err := there.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(there, make([]byte, 9)); err != nil || <-wrote != nil {
		t.Error("a thawed process goes on")
	}
	gate.Shut()
	gate.Kill()
	gate.Pass() // who is killed waits no more
	if err := gate.PassOr(t.Context()); err != nil {
		t.Error(err)
	}
}
