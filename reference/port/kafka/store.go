package kafka

import (
	"context"

	"tahanuji/reference/port"
)

// store dies with the role: a transaction that a kill meets is rolled back.
type store struct {
	p *Port
	s port.Store
}

func (s *store) Update(ctx context.Context, fn func(port.Tx) error) error {
	if s.p.life.Err() != nil {
		return port.ErrGone
	}
	ctx, cancel := s.p.both(ctx)
	defer cancel()
	err := s.s.Update(ctx, func(t port.Tx) error {
		if err := fn(tx{s.p, t}); err != nil {
			return err
		}
		return s.p.gone(nil)
	})
	return s.p.gone(err)
}

func (s *store) Close() error { return s.s.Close() }

type tx struct {
	p *Port
	t port.Tx
}

func (t tx) Get(bucket, key string) ([]byte, bool, error) {
	value, ok, err := t.t.Get(bucket, key)
	return value, ok, t.p.gone(err)
}

func (t tx) Put(bucket, key string, value []byte) error {
	return t.p.gone(t.t.Put(bucket, key, value))
}

func (t tx) Delete(bucket, key string) error { return t.p.gone(t.t.Delete(bucket, key)) }

func (t tx) Scan(bucket, from, to string, fn func(string, []byte) bool) error {
	return t.p.gone(t.t.Scan(bucket, from, to, fn))
}
