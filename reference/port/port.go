// Package port is the small port that a reference role talks to: a producer, a group membership, a store, a clock. Behind it
// stand the Kafka client (port/kafka) and the simulator's model. Roles are ordinary sequential code; every call that can
// block goes through the port, and no role holds a lock across such a call: the model runs all roles on one thread.
package port

import (
	"context"
	"errors"
	"time"
)

// Errors that roles branch on.
var (
	// ErrGone says that the role was killed: nothing that it does has an effect any more; it returns at once.
	ErrGone = errors.New("the role is gone")
	// ErrLost says that the member no longer owns what it wants to commit (generation or member unknown).
	ErrLost = errors.New("the partition belongs to another member")
	// ErrWaiting says that a limit passed and the outcome is still open.
	ErrWaiting = errors.New("no answer yet")
)

// Record is a record to send or a record read. Partition and Offset are set on records that were read.
type Record struct {
	Topic     string
	Partition int32
	Offset    int64
	Key       []byte // nil: no key
	Value     []byte
	Timestamp time.Time // of a record to send: zero lets the port set it
}

// Ack is where a record was appended.
type Ack struct {
	Partition int32
	Offset    int64
}

// Promise is a send whose outcome is open. Wait returns the broker's answer; ErrWaiting after limit (0: only look). It may be
// asked again.
type Promise interface {
	Wait(ctx context.Context, limit time.Duration) (Ack, error)
}

// Producer sends records. Sends of one producer to one partition are appended in the order of the calls; retriable errors
// are retried behind the port, without end.
type Producer interface {
	Send(ctx context.Context, r Record) Promise
	Close(ctx context.Context)
}

// ProducerConfig is what roles may choose. Acks: -1 all, 1, 0.
type ProducerConfig struct {
	Acks       int
	Idempotent bool
}

// Partition of a topic.
type Partition struct {
	Topic     string
	Partition int32
}

// Batch is what a poll gave: records in order per partition, and changes of ownership that happened before them.
type Batch struct {
	Assigned []Partition
	Revoked  []Partition // given up in good order, inside Poll: what is to be committed is committed before Poll
	Lost     []Partition // taken away
	// Committed holds the group's committed offset of each partition in Assigned that has one.
	Committed map[Partition]int64
	Records   []Record
}

// Consumer is one member of a group. While the caller works on a batch, no partition is taken away in good order (the
// member holds the rebalance back until the next Poll), but a member that is too slow loses them all the same.
type Consumer interface {
	// Poll waits up to limit for records or a change of ownership; both may be empty.
	Poll(ctx context.Context, limit time.Duration) (Batch, error)
	// Commit commits next offsets (one past the last handled record) for the member's generation. As with Kafka, nobody
	// checks that the member owns the partitions: only member and generation are checked.
	Commit(ctx context.Context, next map[Partition]int64) error
	// Pause stops fetching partitions without leaving the group; Resume goes on.
	Pause(ps ...Partition)
	Resume(ps ...Partition)
	// Close leaves the group.
	Close(ctx context.Context)
}

// ConsumerConfig is what roles may choose.
type ConsumerConfig struct {
	Group      string
	Topics     []string
	AutoCommit bool // commit by itself what was polled, whether it was handled or not
	Max        int  // records a poll gives at most
	// FromStart reads each assigned partition from its beginning, whatever is committed. Commits stay possible: the caller
	// sees in Batch.Committed what it must not fall below.
	FromStart bool
}

// Store keeps state in transactions. Transactions of all members that share a store are serialised. A transaction that
// returns an error has no effect; one whose commit gets no answer is unknown.
type Store interface {
	Update(ctx context.Context, fn func(Tx) error) error
	Close() error
}

// Tx is an ordered map of buckets, keys and values within one transaction.
type Tx interface {
	Get(bucket, key string) (value []byte, ok bool, err error)
	Put(bucket, key string, value []byte) error
	Delete(bucket, key string) error
	// Scan calls fn in key order for keys >= from and < to ("" is open), until fn returns false. fn writes nothing; value is
	// valid until fn returns.
	Scan(bucket, from, to string, fn func(key string, value []byte) bool) error
}

// Clock is the only time that roles know.
type Clock interface {
	Now() time.Time
	// Sleep returns early with an error when ctx ends or the role is gone.
	Sleep(ctx context.Context, d time.Duration) error
}

// Signal is raised once and stays raised. It is how the parts of one role instance wait for each other.
type Signal interface {
	Raise()
	// Wait returns nil when the signal is or gets raised, ErrWaiting after limit, ErrGone, or the context's error.
	Wait(ctx context.Context, limit time.Duration) error
}

// TopicChange is what a role that misbehaves does to a live topic. Zero fields change nothing.
type TopicChange struct {
	Partitions int32             // the new number of partitions; -1: one more than there are
	Config     map[string]string // Kafka's own names
}

// Port is all that a role instance gets.
type Port interface {
	Clock
	NewSignal() Signal
	NewProducer(ctx context.Context, c ProducerConfig) (Producer, error)
	NewConsumer(ctx context.Context, c ConsumerConfig) (Consumer, error)
	// OpenStore opens the role's store: one for all instances when shared, else the instance's own. It outlives the process.
	OpenStore(ctx context.Context, shared bool) (Store, error)
	// CreateTopic and AlterTopic exist for roles that misbehave: no role without a flaw calls them.
	CreateTopic(ctx context.Context, name string, partitions int32) error
	AlterTopic(ctx context.Context, name string, change TopicChange) error
	// Instance counts from 1.
	Instance() int
}
