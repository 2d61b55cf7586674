package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"tahanuji/reference/port"

	"pgregory.net/rapid"
)

func keys(m *Memory, from, to string) []string {
	var got []string
	_ = m.Scan("b", from, to, func(k string, _ []byte) bool { got = append(got, k); return true })
	return got
}

func TestAFailedTransactionLeavesNothing(t *testing.T) {
	var m Memory
	_ = m.Update(func(tx port.Tx) error { return tx.Put("b", "a", []byte("1")) })
	want := errors.New("no")
	err := m.Update(func(tx port.Tx) error {
		_ = tx.Put("b", "a", []byte("2"))
		_ = tx.Put("b", "c", []byte("3"))
		_ = tx.Delete("b", "a")
		return want
	})
	if !errors.Is(err, want) {
		t.Fatalf("got %v", err)
	}
	if v, _, _ := m.Get("b", "a"); string(v) != "1" || m.Len("b") != 1 {
		t.Fatalf("a is %q, %d keys", v, m.Len("b"))
	}
}

func TestADeniedWriteFailsItsTransaction(t *testing.T) {
	m := Memory{Deny: func() error { return errors.New("disk full") }}
	if err := m.Update(func(tx port.Tx) error { return tx.Put("b", "a", nil) }); err == nil || m.Len("b") != 0 {
		t.Fatalf("got %v, %d keys", err, m.Len("b"))
	}
}

func TestTheStoreIsAnOrderedMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var m Memory
		want := map[string]bool{}
		for range rapid.IntRange(0, 1500).Draw(rt, "writes") {
			k := fmt.Sprintf("%03d", rapid.IntRange(0, 700).Draw(rt, "key"))
			_ = m.Update(func(tx port.Tx) error {
				switch rapid.IntRange(0, 9).Draw(rt, "what") {
				case 0, 1, 2:
					delete(want, k)
					return tx.Delete("b", k)
				case 3:
					keys(&m, "", "")
					return nil
				default:
					want[k] = true
					return tx.Put("b", k, []byte(k))
				}
			})
		}
		all := slices.Sorted(maps.Keys(want))
		if got := keys(&m, "", ""); !slices.Equal(got, all) {
			rt.Fatalf("got %v, want %v", got, all)
		}
		lo := fmt.Sprintf("%03d", rapid.IntRange(0, 700).Draw(rt, "from"))
		hi := fmt.Sprintf("%03d", rapid.IntRange(0, 700).Draw(rt, "to"))
		inside := slices.DeleteFunc(all, func(k string) bool { return k < lo || k >= hi })
		if got := keys(&m, lo, hi); !slices.Equal(got, inside) {
			rt.Fatalf("from %s to %s: got %v, want %v", lo, hi, got, inside)
		}
	})
}

func TestAScanMayDeleteWhatItSees(t *testing.T) {
	var m Memory
	_ = m.Update(func(tx port.Tx) error {
		for i := range 1000 {
			_ = tx.Put("b", fmt.Sprintf("%04d", i), nil)
		}
		return nil
	})
	_ = m.Update(func(tx port.Tx) error {
		return tx.Scan("b", "", "", func(k string, _ []byte) bool { _ = tx.Delete("b", k); return true })
	})
	if m.Len("b") != 0 {
		t.Fatalf("%d keys left", m.Len("b"))
	}
}
