package inside

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

// Stores are the stores of one role: one that its instances share, and one of each instance's own. They outlive the instances.
type Stores struct {
	dir string // "": in memory
	mu  sync.Mutex
	mem map[string]*memory.Store
}

// NewStores keeps stores in files under dir, or in memory when dir is "".
func NewStores(dir string) *Stores {
	return &Stores{dir: dir, mem: map[string]*memory.Store{}}
}

// Open opens the shared store, or an instance's own.
func (s *Stores) Open(ctx context.Context, instance int, shared bool) (port.Store, error) {
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
		return nil, fmt.Errorf("inside: the state folder: %w", err)
	}
	return sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(s.dir, name+".db")})
}

// Empty forgets everything. No instance may have a store open.
func (s *Stores) Empty() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.mem {
		m.Clear()
	}
	if s.dir == "" {
		return nil
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("inside: empty the state: %w", err)
	}
	return nil
}
