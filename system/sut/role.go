package sut

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tahanuji/system/sut/services"
	"tahanuji/system/target"
)

// commandRole is a role that commands play.
type commandRole struct {
	system   *commands
	form     *services.Role
	state    string
	postgres string
	gate     *gate
	mu       sync.Mutex
	list     []*instance // instance n at n-1
	turn     int
}

var _ target.Role = (*commandRole)(nil)

func newCommandRole(_ context.Context, s *commands, form *services.Role) (*commandRole, error) {
	r := &commandRole{system: s, form: form, state: filepath.Join(s.env.Dir, "state", fileName(form.Plain))}
	var err error
	if r.state, err = filepath.Abs(r.state); err == nil {
		err = os.MkdirAll(r.state, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("sut: the state folder of %s: %w", form.Plain, err)
	}
	r.gate = newGate(form.Accept)
	return r, nil
}

// fileName is a role's name as a name of files: documents name roles as they like.
func fileName(role string) string {
	if strings.HasPrefix(role, ".") {
		role = "_" + role
	}
	return url.PathEscape(role)
}

// Name is the document's name of the role.
func (r *commandRole) Name() string { return r.form.Plain }

// count is how many instances a run begins with.
func (r *commandRole) count() int {
	if n := r.system.env.Instances[r.Name()]; n > 0 {
		return n
	}
	return r.form.Instances
}

// Instances that are meant to run now, also while they come back.
func (r *commandRole) Instances() []int {
	var out []int
	for _, in := range r.all() {
		if in.wanted() {
			out = append(out, in.number)
		}
	}
	return out
}

func (r *commandRole) all() []*instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func (r *commandRole) instance(n int, what string) (*instance, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < 1 || n > len(r.list) {
		return nil, fmt.Errorf("sut: %s %s/%d: no such instance", what, r.Name(), n)
	}
	return r.list[n-1], nil
}

// Kill is SIGKILL to the whole process group of an instance.
func (r *commandRole) Kill(_ context.Context, n int) error {
	in, err := r.instance(n, "kill")
	if err != nil {
		return err
	}
	return in.kill()
}

// Pause is SIGSTOP to the whole group.
func (r *commandRole) Pause(_ context.Context, n int) error {
	in, err := r.instance(n, "pause")
	if err != nil {
		return err
	}
	return in.freeze(true)
}

// Resume is SIGCONT to the whole group.
func (r *commandRole) Resume(_ context.Context, n int) error {
	in, err := r.instance(n, "resume")
	if err != nil {
		return err
	}
	return in.freeze(false)
}

// Stop asks an instance to end with its signal; it is killed if it has not within its limit, or when ctx ends, which is noted and no error.
func (r *commandRole) Stop(ctx context.Context, n int) error {
	in, err := r.instance(n, "stop")
	if err != nil {
		return err
	}
	return in.stop(ctx)
}

// Start starts an instance and does not wait until it is ready; that shows in the history. 0 starts one more.
func (r *commandRole) Start(ctx context.Context, n int) (int, error) {
	in, err := r.begin(ctx, n)
	if err != nil {
		return 0, err
	}
	in.readyLater()
	return in.number, nil
}

func (r *commandRole) begin(ctx context.Context, n int) (*instance, error) {
	var in *instance
	var err error
	if n == 0 {
		in, err = r.more()
	} else {
		in, err = r.instance(n, "start")
	}
	if err != nil {
		return nil, err
	}
	return in, in.start(ctx)
}

func (r *commandRole) more() (*instance, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	in, err := newInstance(r, len(r.list)+1)
	if err != nil {
		return nil, err
	}
	r.list = append(r.list, in)
	return in, nil
}

// next is the instance to which a request goes: each in its turn, those that do not run only if none does.
func (r *commandRole) next() *instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range r.list {
		in := r.list[r.turn%len(r.list)]
		r.turn++
		if in.running() {
			return in
		}
	}
	return r.list[0]
}
