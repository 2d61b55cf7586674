// Package storetest is the suite that every port.Store passes. It makes no store itself.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"tahanuji/reference/port"
)

// Run runs the suite. open opens the same store each time it is called within one subtest: what one handle commits, the next
// one sees.
func Run(t *testing.T, open func(t *testing.T) func() port.Store) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, open func() port.Store)
	}{
		{"what is put is read in the same and the next transaction", putIsRead},
		{"an error of the function leaves nothing", errorLeavesNothing},
		{"a scan is in byte order within its bounds", scanInOrder},
		{"a scan ends when it is told to", scanEnds},
		{"a deleted key is gone and may come back", deletedIsGone},
		{"buckets are apart", bucketsApart},
		{"a store that is opened again holds what was committed", openedAgain},
		{"transactions of two handles are serialised", serialised},
		{"an ended context changes nothing", endedContext},
		{"keys and values are bytes", bytesKept},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func update(t *testing.T, s port.Store, fn func(port.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func want(t *testing.T, s port.Store, bucket, key, value string, there bool) {
	t.Helper()
	update(t, s, func(tx port.Tx) error {
		got, ok, err := tx.Get(bucket, key)
		if err != nil {
			return err
		}
		if ok != there || string(got) != value {
			t.Errorf("%s/%q = %q, %v; want %q, %v", bucket, key, got, ok, value, there)
		}
		return nil
	})
}

func list(t *testing.T, s port.Store, bucket, from, to string, most int) []string {
	t.Helper()
	var keys []string
	update(t, s, func(tx port.Tx) error {
		keys = nil
		return tx.Scan(bucket, from, to, func(key string, value []byte) bool {
			keys = append(keys, key+"="+string(value))
			return len(keys) < most
		})
	})
	return keys
}

func putIsRead(t *testing.T, open func() port.Store) {
	s := open()
	update(t, s, func(tx port.Tx) error {
		if err := tx.Put("b", "k", []byte("1")); err != nil {
			return err
		}
		if err := tx.Put("b", "k", []byte("2")); err != nil {
			return err
		}
		got, ok, err := tx.Get("b", "k")
		if !ok || string(got) != "2" {
			t.Errorf("within the transaction: %q, %v", got, ok)
		}
		return err
	})
	want(t, s, "b", "k", "2", true)
	want(t, s, "b", "other", "", false)
}

func errorLeavesNothing(t *testing.T, open func() port.Store) {
	s := open()
	update(t, s, func(tx port.Tx) error {
		return errors.Join(tx.Put("b", "a", []byte("1")), tx.Put("b", "z", []byte("1")))
	})
	stop := errors.New("stop")
	err := s.Update(context.Background(), func(tx port.Tx) error {
		return errors.Join(tx.Put("b", "a", []byte("2")), tx.Put("b", "c", []byte("2")), tx.Delete("b", "z"), stop)
	})
	if !errors.Is(err, stop) {
		t.Fatalf("update returned %v, want the function's error", err)
	}
	if got := fmt.Sprint(list(t, s, "b", "", "", 9)); got != "[a=1 z=1]" {
		t.Errorf("after the error: %s", got)
	}
}

func scanInOrder(t *testing.T, open func() port.Store) {
	s := open()
	for _, key := range []string{"b", "a\x00", "a", "\xff", "aa", "B", ""} {
		update(t, s, func(tx port.Tx) error { return tx.Put("b", key, []byte("v")) })
	}
	if got, want := fmt.Sprintf("%q", list(t, s, "b", "", "", 99)), `["=v" "B=v" "a=v" "a\x00=v" "aa=v" "b=v" "\xff=v"]`; got != want {
		t.Errorf("all: %s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%q", list(t, s, "b", "a", "b", 99)), `["a=v" "a\x00=v" "aa=v"]`; got != want {
		t.Errorf("from a to b: %s, want %s", got, want)
	}
}

func scanEnds(t *testing.T, open func() port.Store) {
	s := open()
	update(t, s, func(tx port.Tx) error {
		return errors.Join(tx.Put("b", "1", nil), tx.Put("b", "2", nil), tx.Put("b", "3", nil))
	})
	if got := fmt.Sprint(list(t, s, "b", "", "", 2)); got != "[1= 2=]" {
		t.Errorf("two of three: %s", got)
	}
}

func deletedIsGone(t *testing.T, open func() port.Store) {
	s := open()
	update(t, s, func(tx port.Tx) error { return errors.Join(tx.Put("b", "k", []byte("1")), tx.Delete("b", "never")) })
	list(t, s, "b", "", "", 9)
	update(t, s, func(tx port.Tx) error { return tx.Delete("b", "k") })
	want(t, s, "b", "k", "", false)
	if got := list(t, s, "b", "", "", 9); len(got) > 0 {
		t.Errorf("scan after delete: %q", got)
	}
	update(t, s, func(tx port.Tx) error { return tx.Put("b", "k", []byte("2")) })
	if got := fmt.Sprint(list(t, s, "b", "", "", 9)); got != "[k=2]" {
		t.Errorf("scan after it came back: %s", got)
	}
}

func bucketsApart(t *testing.T, open func() port.Store) {
	s := open()
	update(t, s, func(tx port.Tx) error {
		return errors.Join(tx.Put("a", "k", []byte("1")), tx.Put("b", "k", []byte("2")))
	})
	want(t, s, "a", "k", "1", true)
	if got := fmt.Sprint(list(t, s, "b", "", "", 9)); got != "[k=2]" {
		t.Errorf("bucket b: %s", got)
	}
}

func openedAgain(t *testing.T, open func() port.Store) {
	first := open()
	update(t, first, func(tx port.Tx) error { return tx.Put("b", "k", []byte("1")) })
	if err := first.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	want(t, open(), "b", "k", "1", true)
}

func serialised(t *testing.T, open func() port.Store) {
	const each, handles = 100, 2
	var all sync.WaitGroup
	for range handles {
		s := open()
		all.Go(func() {
			for range each {
				err := s.Update(context.Background(), func(tx port.Tx) error {
					had, _, err := tx.Get("b", "n")
					if err != nil {
						return err
					}
					return tx.Put("b", "n", append(had[:len(had):len(had)], 'x'))
				})
				if err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	all.Wait()
	update(t, open(), func(tx port.Tx) error {
		got, _, err := tx.Get("b", "n")
		if len(got) != each*handles {
			t.Errorf("%d increments are left of %d", len(got), each*handles)
		}
		return err
	})
}

func endedContext(t *testing.T, open func() port.Store) {
	s := open()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Update(ctx, func(tx port.Tx) error { return tx.Put("b", "k", nil) }); !errors.Is(err, context.Canceled) {
		t.Errorf("update under an ended context: %v", err)
	}
	want(t, s, "b", "k", "", false)
}

func bytesKept(t *testing.T, open func() port.Store) {
	s := open()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	update(t, s, func(tx port.Tx) error { return tx.Put("b", string(every), every) })
	want(t, s, "b", string(every), string(every), true)
}
