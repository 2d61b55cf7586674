package sensor

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"tahanuji/reference/sensor/payload"
)

// recorded is the answer to an event that was taken; without a position the broker has not answered yet.
type recorded struct {
	EventID   string `json:"event_id"`
	Partition *int32 `json:"partition,omitempty"`
	Offset    *int64 `json:"offset,omitempty"`
}

// Handler takes events: POST /events with one record. 201 recorded, 422 refused with every wrong field, 503 neither: it may
// or may not have happened. GET /healthz is 204 once events are taken.
func (r *Recorder) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /events", r.serveEvent)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !r.Ready() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

func (r *Recorder) serveEvent(w http.ResponseWriter, req *http.Request) {
	// One byte more than is taken, so that a longer record is refused as such.
	raw, err := io.ReadAll(http.MaxBytesReader(w, req.Body, int64(r.c.MaxBytes)+1))
	var long *http.MaxBytesError
	if err != nil && !errors.As(err, &long) {
		reply(w, http.StatusBadRequest, map[string]string{"error": "the request ended early"})
		return
	}
	if long != nil {
		reply(w, http.StatusUnprocessableEntity, refusal([]payload.Refusal{{Why: "the record is too long"}}))
		return
	}
	a := r.Accept(req.Context(), raw)
	switch {
	case a.Recorded:
		answer := recorded{EventID: a.EventID}
		if a.HasPosition {
			answer.Partition, answer.Offset = &a.Partition, &a.Offset
		}
		reply(w, http.StatusCreated, answer)
	case len(a.Refused) > 0:
		reply(w, http.StatusUnprocessableEntity, refusal(a.Refused))
	default:
		reply(w, http.StatusServiceUnavailable, map[string]string{"error": a.Err.Error()})
	}
}

func refusal(fields []payload.Refusal) any {
	return map[string][]payload.Refusal{"errors": fields}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error here is a source that went away: it does not know, and will send again.
	_ = json.NewEncoder(w).Encode(body)
}
