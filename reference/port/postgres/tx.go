package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

type place struct{ bucket, key string }

// tx keeps writes back until they are needed: a transaction of the summarizer writes some rows for each event, and one trip
// to the server for each would be what it spends its time on.
type tx struct {
	ctx    context.Context
	t      pgx.Tx
	store  string
	writes map[place][]byte // nil: deleted
	order  []place          // of writes, each once
}

func (t *tx) Get(bucket, key string) ([]byte, bool, error) {
	if value, written := t.writes[place{bucket, key}]; written {
		return value, value != nil, nil
	}
	var value []byte
	err := t.t.QueryRow(t.ctx, `SELECT value FROM tahanuji_kv WHERE store = $1 AND bucket = $2 AND key = $3`,
		t.store, bucket, []byte(key)).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("postgres: get: %w", err)
	}
	return value, true, nil
}

func (t *tx) Put(bucket, key string, value []byte) error {
	t.write(place{bucket, key}, append([]byte{}, value...))
	return nil
}

func (t *tx) Delete(bucket, key string) error {
	t.write(place{bucket, key}, nil)
	return nil
}

func (t *tx) write(p place, value []byte) {
	if _, had := t.writes[p]; !had {
		t.order = append(t.order, p)
	}
	t.writes[p] = value
}

// flush sends the writes together.
func (t *tx) flush() error {
	if len(t.order) == 0 {
		return nil
	}
	var b pgx.Batch
	for _, p := range t.order {
		if value := t.writes[p]; value == nil {
			b.Queue(`DELETE FROM tahanuji_kv WHERE store = $1 AND bucket = $2 AND key = $3`, t.store, p.bucket, []byte(p.key))
		} else {
			b.Queue(`INSERT INTO tahanuji_kv (store, bucket, key, value) VALUES ($1, $2, $3, $4)
				ON CONFLICT (store, bucket, key) DO UPDATE SET value = excluded.value`, t.store, p.bucket, []byte(p.key), value)
		}
	}
	clear(t.writes)
	t.order = t.order[:0]
	if err := t.t.SendBatch(t.ctx, &b).Close(); err != nil {
		return fmt.Errorf("postgres: write: %w", err)
	}
	return nil
}

func (t *tx) Scan(bucket, from, to string, fn func(string, []byte) bool) error {
	if slices.ContainsFunc(t.order, func(p place) bool { return p.bucket == bucket }) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	rows, err := t.t.Query(t.ctx, `SELECT key, value FROM tahanuji_kv
		WHERE store = $1 AND bucket = $2 AND key >= $3 AND ($4 OR key < $5) ORDER BY key`,
		t.store, bucket, []byte(from), to == "", []byte(to))
	if err != nil {
		return fmt.Errorf("postgres: scan: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var key, value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return fmt.Errorf("postgres: scan: %w", err)
		}
		if !fn(string(key), value) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("postgres: scan: %w", err)
	}
	return nil
}
