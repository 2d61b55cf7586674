package run

import (
	"context"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/workload"
)

// silent is a recorder that answers nothing; it counts what it was sent.
type silent struct {
	sut.System
	sends int
}

func (s *silent) Send(context.Context, string, []byte) sut.Answer {
	s.sends++
	return sut.Answer{Phase: history.Unknown, Err: "EOF", Reached: true}
}

func TestAnInvalidEventWithoutAnAnswerDoesNotKeepTheOthersWaiting(t *testing.T) {
	deaf := &silent{}
	s := &sender{
		source: contract.Source{Resend: "until-recorded", OnePerKey: true}, after: time.Millisecond, system: deaf, role: "recorder",
		rec: history.NewRecorder(), handed: func(workload.Event) []byte { return nil },
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.send(ctx, []workload.Send{{Event: workload.Event{Label: "event:1", Key: "k", Tag: workload.TagInvalid}}})
	if ctx.Err() != nil || deaf.sends != triesOfInvalid {
		t.Fatalf("sent %d times, want %d (%v)", deaf.sends, triesOfInvalid, ctx.Err())
	}
	if got := s.waiting(); got != "event:1 (EOF)" {
		t.Errorf("the last answer is told as %q", got)
	}
}
