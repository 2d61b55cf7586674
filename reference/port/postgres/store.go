// Package postgres is a port.Store in a PostgreSQL database, for members on several machines. It starts no server and makes
// no database.
package postgres

import (
	"context"
	"errors"
	"fmt"

	"tahanuji/reference/port"

	"github.com/jackc/pgx/v5"
)

// Config of a store.
type Config struct {
	URL  string // as libpq takes it: postgres://user@host:port/database
	Name string // stores of one database are told apart by it
}

// Store holds one connection, made anew when it broke. Transactions of all processes on one Name are serialised by an
// advisory lock that ends with the transaction. Writes of a transaction are sent together, before a scan and before the
// commit.
type Store struct {
	c    Config
	conn chan *pgx.Conn // holds the connection while nobody uses it; nil: to be made
}

var _ port.Store = (*Store)(nil)

const table = `CREATE TABLE IF NOT EXISTS tahanuji_kv (store text NOT NULL, bucket text NOT NULL, key bytea NOT NULL,
	value bytea NOT NULL, PRIMARY KEY (store, bucket, key))`

// tableLock is the advisory lock under which the table is made; stores have locks by the hash of their name.
const tableLock = 0x7461686e

// Open connects and makes the table when it does not exist.
func Open(ctx context.Context, c Config) (*Store, error) {
	s := &Store{c: c, conn: make(chan *pgx.Conn, 1)}
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	err = pgx.BeginFunc(ctx, conn, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, tableLock); err != nil {
			return err
		}
		_, err := t.Exec(ctx, table)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", errors.Join(err, conn.Close(ctx)))
	}
	s.conn <- conn
	return s, nil
}

// stuck is how long, in milliseconds, a member may be silent within a transaction before the server ends it: one that was
// paused there must not hold the store against the others.
const stuck = "5000"

func (s *Store) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(s.c.URL)
	if err != nil {
		return nil, err
	}
	c.RuntimeParams["idle_in_transaction_session_timeout"] = stuck
	return pgx.ConnectConfig(ctx, c)
}

// take takes the connection, or makes a new one when it broke.
func (s *Store) take(ctx context.Context) (*pgx.Conn, error) {
	select {
	case conn, open := <-s.conn:
		if !open {
			return nil, errors.New("the store is closed")
		}
		if conn != nil && !conn.IsClosed() {
			return conn, nil
		}
		conn, err := s.connect(ctx)
		if err != nil {
			s.conn <- nil
		}
		return conn, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Update runs one transaction. An error of its commit leaves open whether it happened.
func (s *Store) Update(ctx context.Context, fn func(port.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("postgres: update: %w", err)
	}
	conn, err := s.take(ctx)
	if err != nil {
		return fmt.Errorf("postgres: update: %w", err)
	}
	defer func() { s.conn <- conn }()
	return pgx.BeginFunc(ctx, conn, func(t pgx.Tx) error {
		// Whoever comes second waits here, and then sees what the first one committed.
		if _, err := t.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, s.c.Name); err != nil {
			return fmt.Errorf("postgres: lock: %w", err)
		}
		k := &tx{ctx: ctx, t: t, store: s.c.Name, writes: map[place][]byte{}}
		if err := fn(k); err != nil {
			return err
		}
		return k.flush()
	})
}

// Close closes the connection once nobody uses it.
func (s *Store) Close() error {
	conn, open := <-s.conn
	if !open {
		return nil
	}
	close(s.conn)
	if conn == nil {
		return nil
	}
	if err := conn.Close(context.Background()); err != nil {
		return fmt.Errorf("postgres: close: %w", err)
	}
	return nil
}
