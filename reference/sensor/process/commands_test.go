package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tahanuji/reference/sensor/process"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/kfake"
)

const limit = 30 * time.Second

// stage is a broker and the built commands.
type stage struct {
	t    *testing.T
	bin  string
	dir  string
	addr string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "m8-suhu-kejadian"), kfake.SeedTopics(1, "m8-suhu-rangkuman"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := &stage{t: t, bin: t.TempDir(), dir: t.TempDir(), addr: c.ListenAddrs()[0]}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.bin, "tahanuji/reference/sensor/cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return s
}

func (s *stage) start(role string, port int) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, role), "-bootstrap", s.addr, "-port", fmt.Sprint(port))
	cmd.Env = append(os.Environ(), "STATE="+filepath.Join(s.dir, role))
	cmd.Stderr = &bytes.Buffer{}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill() // it may have ended by itself
			_ = cmd.Wait()
		}
	})
	return cmd
}

func (s *stage) end(cmd *exec.Cmd, sig syscall.Signal) {
	s.t.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	err := cmd.Wait()
	if sig == syscall.SIGTERM && err != nil {
		s.t.Errorf("%s after SIGTERM: %v\n%s", cmd.Path, err, cmd.Stderr)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// request retries until it is answered.
func request(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	var last error
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		req, err := http.NewRequest(method, url, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err
			continue
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode != http.StatusServiceUnavailable {
			return resp.StatusCode, string(text)
		}
		last = errors.Join(err, errors.New(resp.Status))
	}
	t.Fatalf("%s %s: no answer within %s: %v", method, url, limit, last)
	return 0, ""
}

func TestTheCommandsCountEachEventOnceThoughTheyAreKilled(t *testing.T) {
	s := newStage(t)
	in, out := freePort(t), freePort(t)
	recorder, summarizer, display := s.start("recorder", in), s.start("summarizer", 0), s.start("display", out)
	url := fmt.Sprintf("http://127.0.0.1:%d", in)
	n := 0
	hour := func(at string) {
		for minute := range 30 {
			n++
			body := fmt.Sprintf(`{"event_id":"00000000-0000-4000-8000-%012x","event_type":"sensor.suhu.terbaca","occurred_at":"2026-11-07T%s:%02d:00Z",`+
				`"data":{"id_perangkat":"sensor-01","lantai":3,"suhu_c":24.5}}`, n, at, minute)
			if status, answer := request(t, "POST", url+"/events", body); status != 201 {
				t.Fatalf("%d %s", status, answer)
			}
		}
	}
	hour("08")
	s.end(recorder, syscall.SIGKILL)
	s.end(summarizer, syscall.SIGKILL)
	recorder, summarizer = s.start("recorder", in), s.start("summarizer", 0)
	hour("09")
	hour("10")
	if status, answer := request(t, "POST", url+"/events", `{}`); status != 422 || gjson.Get(answer, "errors.#").Int() != 4 {
		t.Errorf("%d %s", status, answer)
	}
	rows := ""
	for end := time.Now().Add(limit); gjson.Get(rows, "rows.#").Int() < 2 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, rows = request(t, "GET", fmt.Sprintf("http://127.0.0.1:%d/rows", out), "")
	}
	if got := gjson.Get(rows, "rows.#.jumlah").Raw; got != "[30,30]" {
		t.Errorf("counts %s in %s", got, rows)
	}
	for _, cmd := range []*exec.Cmd{recorder, summarizer, display} {
		s.end(cmd, syscall.SIGTERM)
	}
}

func TestSettingsComeFromFlagsThenFromTheEnvironment(t *testing.T) {
	env := map[string]string{"BOOTSTRAP": "a:1", "PORT": "81", "INSTANCE": "2"}
	get := func(name string) string { return env[name] }
	s, err := process.Parse([]string{"-port", "80"}, get)
	if err != nil || s.Bootstrap != "a:1" || s.Port != 80 || s.Instance != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	env["PORT"] = "many"
	if _, err := process.Parse(nil, get); err == nil {
		t.Error("PORT=many is taken")
	}
	if _, err := process.Parse([]string{"-instance", "0", "-port", "1"}, func(string) string { return "" }); err == nil {
		t.Error("instance 0 is taken")
	}
	s = process.Settings{Flaw: "no-dedupe,no-such"}
	if _, _, err := s.Roles(); err == nil {
		t.Error("an unknown flaw is taken")
	}
}

func TestAConfigurationFileReplacesTheSensorSystems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "roles.json")
	if err := os.WriteFile(path, []byte(`{"events":{"name":"pesanan"},"fold":{"window":{"size":3600000000000}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := process.Settings{Config: path, Summaries: "total"}.Roles()
	if err != nil || c.Events.Name != "pesanan" || c.Summaries.Name != "total" || c.Fold.Window.Size != time.Hour || c.SummarizerGroup != "" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, _, err := (process.Settings{Config: path + ".none"}).Roles(); err == nil {
		t.Error("a file that is not there is taken")
	}
}
