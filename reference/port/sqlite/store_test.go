package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/sqlite"
	"tahanuji/reference/port/storetest"
)

// A file that somebody reads can't be switched to its journal: opening it waits, within its limit.
func TestOpeningWaitsForWhoeverIsAtTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Exec(`CREATE TABLE there (x); INSERT INTO there VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	reading, err := other.Query(`SELECT x FROM there`)
	if err != nil || !reading.Next() {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(context.Background(), sqlite.Config{Path: path, Busy: 50 * time.Millisecond}); err == nil {
		t.Fatal("the file is open though somebody reads it in another journal mode")
	}
	opened := make(chan error, 1)
	go func() {
		s, err := sqlite.Open(context.Background(), sqlite.Config{Path: path})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	time.Sleep(50 * time.Millisecond) // so that it is usually refused once; it has to work without that, too
	if err := reading.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

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
