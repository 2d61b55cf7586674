package sut

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"tahanuji/reference/port"
	"tahanuji/reference/port/memory"
	"tahanuji/reference/port/sqlite"
)

// refStores are the stores of one role: one that its instances share, and one of each instance's own. They outlive the instances.
type refStores struct {
	dir string // "": in memory
	mu  sync.Mutex
	mem map[string]*memory.Store
}

func newRefStores(dir string) *refStores {
	return &refStores{dir: dir, mem: map[string]*memory.Store{}}
}

func (s *refStores) open(ctx context.Context, instance int, shared bool) (port.Store, error) {
	name := "shared"
	if !shared {
		name = "instance-" + strconv.Itoa(instance)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		if s.mem[name] == nil {
			s.mem[name] = memory.New()
		}
		return s.mem[name], nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, fmt.Errorf("sut: the state folder: %w", err)
	}
	return sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(s.dir, name+".db")})
}

func (s *refStores) empty() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.mem {
		m.Clear()
	}
	if s.dir == "" {
		return nil
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("sut: empty the state: %w", err)
	}
	return nil
}
