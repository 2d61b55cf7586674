package kafka_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/kafka"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestACommitIsWhereTheNextMemberGoesOn(t *testing.T) {
	c := cluster(t, 1)
	p := open(t, c)
	send(t, producer(t, p, strict), "a", "b", "c")
	first := consumer(t, p, port.ConsumerConfig{Max: 2})
	at := port.Partition{Topic: topic}
	read(t, first, 2)
	if err := first.Commit(within(t), map[port.Partition]int64{at: 2}); err != nil {
		t.Fatal(err)
	}
	first.Close(within(t))
	got, changes := read(t, consumer(t, p, port.ConsumerConfig{}), 1)
	if got[0] != "c" || changes.Committed[at] != 2 || len(changes.Assigned) != 1 {
		t.Errorf("read %q after %+v", got, changes)
	}
}

func TestFromStartReadsEverythingAndSeesWhatIsCommitted(t *testing.T) {
	c := cluster(t, 1)
	p := open(t, c)
	send(t, producer(t, p, strict), "a", "b", "c")
	at := port.Partition{Topic: topic}
	first := consumer(t, p, port.ConsumerConfig{})
	read(t, first, 3)
	if err := first.Commit(within(t), map[port.Partition]int64{at: 3}); err != nil {
		t.Fatal(err)
	}
	first.Close(within(t))
	again := consumer(t, p, port.ConsumerConfig{FromStart: true})
	got, changes := read(t, again, 3)
	if got[0] != "a" || changes.Committed[at] != 3 {
		t.Errorf("read %q with %+v committed", got, changes.Committed)
	}
	if err := again.Commit(within(t), map[port.Partition]int64{at: 3}); err != nil {
		t.Error(err)
	}
}

func TestAClientThatCommitsByItselfCommitsWhatWasPolled(t *testing.T) {
	c := cluster(t, 1)
	p := open(t, c)
	committed := make(chan int64, 100)
	c.ControlKey(int16(kmsg.OffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		committed <- req.(*kmsg.OffsetCommitRequest).Topics[0].Partitions[0].Offset
		return nil, nil, false
	})
	send(t, producer(t, p, strict), "a", "b")
	read(t, consumer(t, p, port.ConsumerConfig{AutoCommit: true}), 2)
	select {
	case at := <-committed:
		if at != 2 {
			t.Errorf("committed %d, want 2", at)
		}
	case <-time.After(limit):
		t.Errorf("nothing was committed within %s", limit)
	}
}

func TestAMemberThatWasSilentForTooLongHasLostItsPartitions(t *testing.T) {
	c := cluster(t, 1)
	p := open(t, c)
	send(t, producer(t, p, strict), "a")
	old := consumer(t, p, port.ConsumerConfig{Group: "grup"})
	read(t, old, 1)
	// Nobody answers its heartbeats; the group goes to another member while the old one works on its batch.
	c.ControlKey(int16(kmsg.Heartbeat), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, errors.New("cut"), true
	})
	next := consumer(t, open(t, c), port.ConsumerConfig{Group: "grup"})
	read(t, next, 1)
	err := old.Commit(within(t), map[port.Partition]int64{{Topic: topic}: 1})
	if !errors.Is(err, port.ErrLost) {
		t.Errorf("commit of the old member: %v, want ErrLost", err)
	}
}

func TestPausedPartitionsAreNotRead(t *testing.T) {
	c := cluster(t, 2)
	p := open(t, c)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	put := func(partition int32, v string) {
		r := &kgo.Record{Topic: topic, Partition: partition, Value: []byte(v)}
		if err := cl.ProduceSync(within(t), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	put(0, "a")
	co := consumer(t, p, port.ConsumerConfig{})
	read(t, co, 1)
	co.Pause(port.Partition{Topic: topic, Partition: 0})
	put(0, "quiet")
	put(1, "heard")
	if got, _ := read(t, co, 1); got[0] != "heard" {
		t.Errorf("read %q while partition 0 is paused", got)
	}
	co.Resume(port.Partition{Topic: topic, Partition: 0})
	if got, _ := read(t, co, 1); got[0] != "quiet" {
		t.Errorf("read %q after it was resumed", got)
	}
}

func TestAKilledRoleHearsNothingButGone(t *testing.T) {
	c := cluster(t, 1)
	p := open(t, c)
	pr, co := producer(t, p, strict), consumer(t, p, port.ConsumerConfig{})
	s, err := p.OpenStore(within(t), true)
	if err != nil {
		t.Fatal(err)
	}
	send(t, pr, "a")
	read(t, co, 1)
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, errors.New("cut"), true
	})
	open := pr.Send(within(t), port.Record{Topic: topic, Value: []byte("b")})
	signal := p.NewSignal()
	killed := make(chan struct{})
	entered := make(chan struct{})
	calls := map[string]func() error{
		"poll":   func() error { _, err := co.Poll(within(t), limit); return err },
		"wait":   func() error { _, err := open.Wait(within(t), limit); return err },
		"sleep":  func() error { return p.Sleep(within(t), limit) },
		"signal": func() error { return signal.Wait(within(t), limit) },
		"update": func() error {
			return s.Update(within(t), func(tx port.Tx) error {
				close(entered)
				<-killed
				return tx.Put("b", "k", nil)
			})
		},
	}
	var all sync.WaitGroup
	for name, call := range calls {
		all.Go(func() {
			if err := call(); !errors.Is(err, port.ErrGone) {
				t.Errorf("%s: %v, want ErrGone", name, err)
			}
		})
	}
	<-entered
	p.Kill()
	close(killed)
	all.Wait()
	for name, err := range map[string]error{
		"commit": co.Commit(within(t), map[port.Partition]int64{{Topic: topic}: 1}),
		"update": s.Update(within(t), func(port.Tx) error { return nil }),
	} {
		if !errors.Is(err, port.ErrGone) {
			t.Errorf("%s after the kill: %v, want ErrGone", name, err)
		}
	}
	if err := p.Gone(within(t)); err != nil {
		t.Error(err)
	}
}

func TestAKilledMemberDoesNotLeaveItsGroup(t *testing.T) {
	c := cluster(t, 1)
	p := open(t, c, func(k *kafka.Config) { k.Timings.Session = 30 * time.Second })
	left := make(chan struct{}, 10)
	c.ControlKey(int16(kmsg.LeaveGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		left <- struct{}{}
		return nil, nil, false
	})
	send(t, producer(t, p, strict), "a")
	read(t, consumer(t, p, port.ConsumerConfig{}), 1)
	p.Kill()
	if err := p.Gone(within(t)); err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Error("the killed member told the broker that it leaves")
	}
	if n := members(t, c); n != 1 {
		t.Errorf("%d members after the kill, want the dead one until its session ends", n)
	}
}

func members(t *testing.T, c *kfake.Cluster) int {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	groups, err := kadm.NewClient(cl).DescribeGroups(within(t), "grup")
	if err != nil {
		t.Fatal(err)
	}
	return len(groups["grup"].Members)
}
