package postgres_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/postgres"
	"tahanuji/reference/port/storetest"
)

// database is the URL of a database to test with: TAHANUJI_POSTGRES, or a server of the test's own. Without both, the test
// is skipped and says what to install.
func database(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("TAHANUJI_POSTGRES"); url != "" {
		return url
	}
	bin := installed()
	if bin == "" {
		t.Skip("no PostgreSQL: set TAHANUJI_POSTGRES to the URL of a database, or install the package postgresql")
	}
	dir, err := os.MkdirTemp("", "tahanuji-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as := owner(t, dir)
	data := filepath.Join(dir, "data")
	initialise := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "tahanuji", "--no-sync", "-E", "UTF8", "--locale=C")
	initialise.SysProcAttr = as
	initialise.Dir = dir
	if out, err := initialise.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	at := free(t)
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-h", "127.0.0.1", "-p", strconv.Itoa(at), "-k", dir, "-F")
	server.SysProcAttr = as
	server.Dir = dir
	var log strings.Builder
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT) // fast shutdown; it may have ended by itself
		_ = server.Wait()
	})
	url := fmt.Sprintf("postgres://tahanuji@127.0.0.1:%d/postgres", at)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		s, err := postgres.Open(context.Background(), postgres.Config{URL: url})
		if err == nil {
			_ = s.Close()
			return url
		}
		if time.Now().After(end) {
			t.Fatalf("the server is not ready after 20s: %v\n%s", err, log.String())
		}
	}
}

// installed is the folder of the newest server's programs, "" if there is none.
func installed() string {
	if at, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(at)
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}

// owner gives dir to a user who may run the server, which refuses to run as root.
func owner(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skipf("PostgreSQL refuses to run as root, and there is no user for it: %v", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestStore(t *testing.T) {
	url := database(t)
	name := 0
	storetest.Run(t, func(t *testing.T) func() port.Store {
		name++
		c := postgres.Config{URL: url, Name: fmt.Sprintf("%s %d", t.Name(), name)}
		return func() port.Store {
			s, err := postgres.Open(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	})
}
