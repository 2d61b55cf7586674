package virtual

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func never() bool { return false }

func TestTasksRunInTheOrderOfTheirDeadlines(t *testing.T) {
	var l Loop
	var got []string
	for _, s := range []struct {
		name string
		at   time.Duration
	}{{"third", 3}, {"first", 1}, {"second", 2}} {
		l.Go(s.name, func(k *Task) {
			k.Park(s.at)
			got = append(got, k.Name)
		})
	}
	if _, err := l.Run(10, never); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first", "second", "third"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestAWakeUpComesOnceAndAStaleDeadlineIsForgotten(t *testing.T) {
	var l Loop
	var at []time.Duration
	k := l.Go("sleeper", func(k *Task) {
		k.Park(10)
		at = append(at, l.Now())
		k.Park(100)
		at = append(at, l.Now())
	})
	l.After(5, k.Wake)
	if _, err := l.Run(1000, never); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{5, 100}; !slices.Equal(at, want) {
		t.Fatalf("resumed at %v, want %v", at, want)
	}
}

func TestAFrozenTaskMissesNothing(t *testing.T) {
	var l Loop
	var at time.Duration
	k := l.Go("paused", func(k *Task) {
		k.Park(10)
		at = l.Now()
	})
	l.After(5, k.Freeze)
	l.After(50, k.Thaw)
	if _, err := l.Run(1000, never); err != nil {
		t.Fatal(err)
	}
	if at != 50 {
		t.Fatalf("went on at %v, want 50", at)
	}
}

func TestSpinningWithoutTimePassingIsNamed(t *testing.T) {
	l := Loop{Spin: 1000}
	l.Go("spinner", func(k *Task) {
		for {
			k.Park(l.Now())
		}
	})
	_, err := l.Run(10, never)
	if err == nil || !strings.Contains(err.Error(), "spinner") {
		t.Fatalf("got %v, want an error that names the spinner", err)
	}
	l.Close()
}

func TestADroppedTaskRunsNoFurther(t *testing.T) {
	var l Loop
	ran, unwound := false, false
	k := l.Go("victim", func(k *Task) {
		defer func() { unwound = true }()
		k.Park(Never)
		ran = true
	})
	l.After(1, k.Drop)
	if _, err := l.Run(10, never); err != nil {
		t.Fatal(err)
	}
	if ran || !unwound {
		t.Fatalf("ran on: %v, unwound: %v", ran, unwound)
	}
}

func TestAPanicIsAnErrorOfTheRun(t *testing.T) {
	var l Loop
	l.Go("careless", func(*Task) { panic("index out of range") })
	if _, err := l.Run(10, never); err == nil || !strings.Contains(err.Error(), "careless") {
		t.Fatalf("got %v", err)
	}
}

func BenchmarkASleepOfTwoTasks(b *testing.B) {
	var l Loop
	for range 2 {
		l.Go("sleeper", func(k *Task) {
			for {
				k.Park(l.Now() + 3)
			}
		})
	}
	n := 0
	_, _ = l.Run(Never, func() bool { n++; return n > b.N })
	l.Close()
}
