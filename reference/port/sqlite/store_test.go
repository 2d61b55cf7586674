package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"tahanuji/reference/port"
	"tahanuji/reference/port/sqlite"
	"tahanuji/reference/port/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() port.Store {
		path := filepath.Join(t.TempDir(), "state of 1%.db")
		return func() port.Store {
			s, err := sqlite.Open(context.Background(), sqlite.Config{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	})
}
