package sut

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestMain plays a service that misbehaves on demand when its environment says so: a command of the sut.yaml files of these tests.
func TestMain(m *testing.M) {
	if mode := os.Getenv("SERVICE"); mode != "" {
		serve(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serve(mode string) {
	fmt.Println("service begins:", mode, "instance", os.Getenv("INSTANCE"))
	switch mode {
	case "dies":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(3)
	case "deaf":
		time.Sleep(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "flood":
		go func() {
			for {
				fmt.Println(strings.Repeat("flood ", 2000))
			}
		}()
	case "parent":
		child := exec.Command("/bin/sleep", "600")
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Println("grandchild", child.Process.Pid)
	case "once":
		mark := os.Getenv("STATE") + "/started"
		if _, err := os.Stat(mark); err != nil {
			fmt.Println("first start")
		}
		if err := os.WriteFile(mark, nil, 0o644); err != nil {
			panic(err)
		}
	case "stdio":
		stdio()
		return
	case "kafka":
		producing()
		return
	}
	overHTTP()
}

// overHTTP does what /data/do of an event says.
func overHTTP() {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /events", event)
	mux.HandleFunc("/rows", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, os.Getenv("ROWS")) })
	mux.HandleFunc("/pages/", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/pages/1":
			fmt.Fprint(w, `{"rows":[{"toko":"t1","hari":1,"total":"5"}],"next":"2"}`)
		case "/pages/2":
			fmt.Fprint(w, `{"rows":[{"toko":"t2","hari":1,"total":"6"}],"next":null}`)
		}
	})
	mux.HandleFunc("/env", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"env": os.Environ(), "args": os.Args, "pid": os.Getpid()})
	})
	fmt.Println("ready to listen")
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), mux))
	os.Exit(1)
}

func event(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var record struct {
		ID   string `json:"id"`
		Do   string `json:"do"`
		Isi  struct{ Do string }
		Wait int
	}
	if err := json.Unmarshal(body, &record); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"errors":[{"field":""}]}`)
		return
	}
	switch do := record.Do + record.Isi.Do; do {
	case "ok":
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":%q,"where":{"p":2,"o":41},"body":%q,"token":%q}`, record.ID, body, r.Header.Get("X-Token"))
	case "rubbish":
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, "<html>")
	case "refuse":
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"errors":[{"field":"/isi/jumlah"},{"field":"isi.toko"},{"field":["isi","kasir"]}]}`)
	case "redirect":
		http.Redirect(w, r, "/healthz", http.StatusFound)
	case "fail":
		w.WriteHeader(http.StatusInternalServerError)
	case "cut":
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "hang":
		time.Sleep(time.Hour)
	case "die":
		fmt.Println("dying as told")
		os.Exit(7)
	}
}

func stdio() {
	in := bufio.NewScanner(os.Stdin)
	held := ""
	for in.Scan() {
		var q struct {
			ID     string
			Record struct {
				ID  string
				Isi struct{ Do string }
			}
			Rows bool
		}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			fmt.Println("a log line:", err)
			continue
		}
		if q.Rows {
			fmt.Printf(`{"id":%q,"rows":%s}`+"\n", q.ID, os.Getenv("ROWS"))
			continue
		}
		answer := ""
		switch q.Record.Isi.Do {
		case "ok":
			answer = fmt.Sprintf(`{"id":%q,"recorded":{"event_id":%q,"partition":1,"offset":7}}`, q.ID, q.Record.ID)
		case "refuse":
			answer = fmt.Sprintf(`{"id":%q,"refused":[{"field":"/isi/jumlah","why":"too many"}]}`, q.ID)
		case "rubbish":
			answer = fmt.Sprintf(`{"id":%q,"done":"perhaps"}`, q.ID)
		case "hold":
			held = fmt.Sprintf(`{"id":%q,"recorded":{"event_id":"held"}}`, q.ID)
			continue
		case "die":
			os.Exit(7)
		}
		fmt.Println(`{"level":"info","msg":"a log line that is JSON"}`)
		fmt.Println(answer)
		if held != "" {
			fmt.Println(held)
			held = ""
		}
	}
}

// producing records orders as an honest service without an outbox does: it answers once the broker has.
func producing() {
	cl, err := kgo.NewClient(kgo.SeedBrokers(os.Getenv("KAFKA")), kgo.DefaultProduceTopic(os.Getenv("TOPIC")), kgo.MetadataMinAge(10*time.Millisecond))
	if err != nil {
		panic(err)
	}
	http.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var order struct {
			Kode string
			Isi  struct{ Toko string }
		}
		if err != nil || json.Unmarshal(body, &order) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		record, err := cl.ProduceSync(r.Context(), &kgo.Record{Key: []byte(order.Isi.Toko), Value: body}).First()
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"kode":%q,"at":{"partition":%d,"offset":%d}}`, order.Kode, record.Partition, record.Offset)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
	os.Exit(1)
}
