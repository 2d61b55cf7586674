// Package sqlite is a port.Store in a SQLite file: durable, shared between processes of one machine. It caches nothing.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"tahanuji/reference/port"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// Config of a store.
type Config struct {
	// Path of the file. It is made when it does not exist; two files with -wal and -shm stand beside it.
	Path string
	// Busy is how long a transaction waits for another process's transaction; 0: 10 s.
	Busy time.Duration
	// Full syncs each commit to disk, so that it survives the machine. Otherwise a commit survives the process (kill -9).
	Full bool
}

// Store is a SQLite file. Transactions begin IMMEDIATE, so they are serialised over all processes.
type Store struct {
	db                     *sql.DB
	get, put, delete, scan *sql.Stmt
}

var _ port.Store = (*Store)(nil)

// Open opens or makes the file.
func Open(ctx context.Context, c Config) (*Store, error) {
	if c.Busy == 0 {
		c.Busy = 10 * time.Second
	}
	synchronous := "NORMAL"
	if c.Full {
		synchronous = "FULL"
	}
	q := url.Values{"_txlock": {"immediate"}}
	q.Add("_pragma", "busy_timeout("+strconv.FormatInt(c.Busy.Milliseconds(), 10)+")")
	q.Add("_pragma", "journal_mode(WAL)")
	q.Add("_pragma", "synchronous("+synchronous+")")
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(c.Path)+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", c.Path, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{db: db}
	if err := s.ready(ctx, c.Busy); err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", c.Path, errors.Join(err, db.Close()))
	}
	return s, nil
}

// ready prepares the file, again and again while others are at it: of two who make the same new file at once each would wait
// for the other, and SQLite refuses one of them without regard to the busy timeout (its documentation, sqlite3_busy_handler).
func (s *Store) ready(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		err := s.prepare(ctx)
		var refused *driver.Error
		const primary = 0xff // of an extended result code
		if err == nil || !errors.As(err, &refused) || refused.Code()&primary != codes.SQLITE_BUSY {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("still busy after %s: %w", limit, err)
		}
	}
}

func (s *Store) prepare(ctx context.Context) error {
	const table = `CREATE TABLE IF NOT EXISTS kv (bucket TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
		PRIMARY KEY (bucket, key)) WITHOUT ROWID`
	if _, err := s.db.ExecContext(ctx, table); err != nil {
		return fmt.Errorf("make the table: %w", err)
	}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&s.get, `SELECT value FROM kv WHERE bucket = ? AND key = ?`},
		{&s.put, `INSERT INTO kv (bucket, key, value) VALUES (?, ?, ?) ON CONFLICT (bucket, key) DO UPDATE SET value = excluded.value`},
		{&s.delete, `DELETE FROM kv WHERE bucket = ? AND key = ?`},
		{&s.scan, `SELECT key, value FROM kv WHERE bucket = ? AND key >= ? AND (? OR key < ?) ORDER BY key`},
	} {
		var err error
		if *p.stmt, err = s.db.PrepareContext(ctx, p.text); err != nil {
			return fmt.Errorf("prepare %q: %w", p.text, err)
		}
	}
	return nil
}

// Update runs one transaction. An error of its commit leaves open whether it happened.
func (s *Store) Update(ctx context.Context, fn func(port.Tx) error) (err error) {
	t, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sqlite: begin: %w", err)
	}
	defer func() {
		if t != nil {
			err = errors.Join(err, t.Rollback())
		}
	}()
	k := &tx{ctx: ctx, get: t.StmtContext(ctx, s.get), put: t.StmtContext(ctx, s.put),
		delete: t.StmtContext(ctx, s.delete), scan: t.StmtContext(ctx, s.scan)}
	if err := fn(k); err != nil {
		return err
	}
	commit := t
	t = nil
	if err := commit.Commit(); err != nil {
		return fmt.Errorf("sqlite: commit: %w", err)
	}
	return nil
}

// Close closes the file; it waits for the running transaction.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("sqlite: close: %w", err)
	}
	return nil
}

type tx struct {
	ctx                    context.Context
	get, put, delete, scan *sql.Stmt
}

func (t *tx) Get(bucket, key string) ([]byte, bool, error) {
	var value []byte
	err := t.get.QueryRowContext(t.ctx, bucket, []byte(key)).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("sqlite: get: %w", err)
	}
	return value, true, nil
}

func (t *tx) Put(bucket, key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	if _, err := t.put.ExecContext(t.ctx, bucket, []byte(key), value); err != nil {
		return fmt.Errorf("sqlite: put: %w", err)
	}
	return nil
}

func (t *tx) Delete(bucket, key string) error {
	if _, err := t.delete.ExecContext(t.ctx, bucket, []byte(key)); err != nil {
		return fmt.Errorf("sqlite: delete: %w", err)
	}
	return nil
}

func (t *tx) Scan(bucket, from, to string, fn func(string, []byte) bool) (err error) {
	rows, err := t.scan.QueryContext(t.ctx, bucket, []byte(from), to == "", []byte(to))
	if err != nil {
		return fmt.Errorf("sqlite: scan: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var key, value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return fmt.Errorf("sqlite: scan: %w", err)
		}
		if !fn(string(key), value) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("sqlite: scan: %w", err)
	}
	return nil
}
