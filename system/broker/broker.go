// Package broker starts the Kafka that a run uses: embedded, process, container or external, behind one interface and one
// shared test suite (brokertest). It injects no fault by itself; it lets faults take hold of its nodes.
package broker

import (
	"context"

	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// Broker is a running cluster. Observers talk to Addrs directly; roles never do: they get a door of the fault proxy.
type Broker interface {
	Addrs() []string
	// Nodes lets faults take hold of nodes; nil where they can't.
	Nodes() target.BrokerNodes
	// Close stops everything that Start started, within the context's limit, and leaves nothing.
	Close(ctx context.Context) error
}

// Config of a cluster.
type Config struct {
	Nodes int    // at least 1
	Dir   string // the cluster's files, removed by Close; "" lets the backend choose
	// Topics are created before Start returns.
	Topics []contract.Topic
}

// Backend is one kind of broker.
type Backend struct {
	Name, Doc string
	// Lacks says what this kind can't show, each with the reason.
	Lacks map[contract.Feature]string
	// Limits says what this kind shows otherwise than Kafka does, where no clause asks for it by a feature.
	Limits []Limit
	// Beside is how many clusters of it a small machine bears at once; 0 is as many as one likes.
	Beside int
	// Real says that it is Apache Kafka: starts take seconds, and sessions below two of them would end by themselves.
	Real bool
	// Missing says in one sentence what to install when the backend can't be used here; "" when it can.
	Missing func() string
	Start   func(ctx context.Context, c Config) (Broker, error)
}

// Limit is one way in which a backend is unlike Kafka. Of names what it touches: a fault or a part of the protocol.
type Limit struct{ Of, Text string }

// Backends lists the kinds of broker that there are; the first is the default.
func Backends() []Backend {
	return []Backend{Embedded(), Process("")}
}
