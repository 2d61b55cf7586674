package sensor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tahanuji/reference/port"

	"github.com/tidwall/gjson"
)

func ask(t *testing.T, h http.Handler, method, url, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, url, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

func TestEventsAreTakenOverHTTP(t *testing.T) {
	f := newFake(Default())
	p := f.port("recorder", 1)
	r := newTestRecorder(t, p, nil)
	h := r.Handler()
	good := string(reading(1, 7, start, "24.5"))
	for _, c := range []struct {
		name, body string
		status     int
		want       map[string]string
	}{
		{"an event is recorded with its position", good, 201, map[string]string{"event_id": "00000000-0000-4000-8000-000000000001", "offset": "0"}},
		{"every wrong field is named", replaceOnce(replaceOnce(good, "24.5", "99"), "sensor-07", "sensor-7"), 422,
			map[string]string{"errors.0.field": "/data/id_perangkat", "errors.1.field": "/data/suhu_c", "errors.#": "2"}},
		{"a record that is too long is refused", `{"x":"` + strings.Repeat("y", 1_000_000) + `"}`, 422, map[string]string{"errors.#": "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := ask(t, h, "POST", "/events", c.body)
			if status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, body)
			}
			for at, want := range c.want {
				if got := gjson.Get(body, at).String(); got != want {
					t.Errorf("%s is %q, want %q in %s", at, got, want, body)
				}
			}
		})
	}
	p.deaf = true
	if status, body := ask(t, h, "POST", "/events", good); status != 201 || gjson.Get(body, "offset").Exists() {
		t.Errorf("without the broker's answer: %d %s", status, body)
	}
	p.failing = 1
	if status, body := ask(t, h, "POST", "/events", good); status != 503 {
		t.Errorf("with a store that fails: %d %s", status, body)
	}
	if status, _ := ask(t, h, "GET", "/healthz", ""); status != 204 {
		t.Errorf("health: %d", status)
	}
	if status, _ := ask(t, h, "GET", "/events", ""); status != 405 {
		t.Errorf("GET /events: %d", status)
	}
}

func TestThePageShowsTheLastValueOfEachDeviceAndAllOfOne(t *testing.T) {
	c := Default()
	f := newFake(c)
	d, err := NewDisplay(f.port("display", 1), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.open(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, body := ask(t, d.Handler(), "GET", "/", ""); !strings.Contains(body, "No value has come yet") {
		t.Error("an empty table says nothing")
	}
	put := func(device, hour, count int) {
		f.port("summarizer", 1).mustSend(port.Record{Topic: c.Summaries.Name, Value: fmt.Appendf(nil,
			`{"event_id":"00000000-0000-4000-8000-000000000001","event_type":"sensor.suhu.dirangkum","occurred_at":"2026-11-07T%02d:00:00Z",`+
				`"data":{"id_perangkat":"sensor-%02d","jam":"2026-11-07T%02d:00:00Z","jumlah":%d,"suhu_min":1,"suhu_maks":2.5,"suhu_rata":1.75}}`,
			hour+1, device, hour, count)}, func(port.Ack) {})
	}
	put(1, 8, 60)
	put(1, 9, 59)
	put(2, 8, 58)
	put(2, 8, 57)
	f.port("summarizer", 1).mustSend(port.Record{Topic: c.Summaries.Name, Value: []byte(`{"data":{"id_perangkat":"<b>"}}`)}, func(port.Ack) {})
	if err := d.round(context.Background()); err != nil {
		t.Fatal(err)
	}
	status, page := ask(t, d.Handler(), "GET", "/", "")
	for text, times := range map[string]int{">60<": 0, ">59<": 1, ">58<": 0, ">57<": 1, "<tr": 3, `href="/?of=sensor-01"`: 1, "<b>": 0, "<script": 0} {
		if n := strings.Count(page, text); n != times || status != 200 {
			t.Errorf("all: %q stands %d times, want %d (status %d)", text, n, times, status)
		}
	}
	_, page = ask(t, d.Handler(), "GET", "/?of=sensor-01", "")
	if newer, older := strings.Index(page, ">59<"), strings.Index(page, ">60<"); newer < 0 || older < newer {
		t.Errorf("one device: the newest hour stands at %d, the one before at %d", newer, older)
	}
	_, rows := ask(t, d.Handler(), "GET", "/rows", "")
	var got struct {
		Rows []struct {
			Device string `json:"id_perangkat"`
			Hour   string `json:"jam"`
			Count  int    `json:"jumlah"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(rows), &got); err != nil || len(got.Rows) != 3 || got.Rows[2].Count != 57 {
		t.Errorf("rows: %s, %v", rows, err)
	}
	if d.Broken() != 1 {
		t.Errorf("%d broken records were seen, want 1", d.Broken())
	}
	if came := d.Rows()[0].Came; came.Before(start) || came.After(start.Add(time.Hour)) {
		t.Errorf("came %s", came)
	}
}
