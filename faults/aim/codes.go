package aim

import "slices"

// Error codes of the Kafka protocol (kafka.apache.org/protocol, "Error Codes") that faults tell clients.
const (
	NotLeaderOrFollower       int16 = 6
	RequestTimedOut           int16 = 7
	CoordinatorLoadInProgress int16 = 14
	CoordinatorNotAvailable   int16 = 15
	NotCoordinator            int16 = 16
	NotEnoughReplicas         int16 = 19
	NotEnoughReplicasAfter    int16 = 20
	RebalanceInProgress       int16 = 27
	StorageError              int16 = 56
	FetchSessionIDNotFound    int16 = 70
)

// answers are the codes that a broker answers to a request and that clients retry. refused: before it applied the request;
// applied: when it may have applied it (KafkaApis, ReplicaManager and GroupCoordinator of Apache Kafka). A code that no broker
// answers is not injected: a violation under an impossible fault is noise.
type answers struct {
	api     string
	refused []int16
	applied []int16
}

func table() []answers {
	coordinator := []int16{CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator}
	return []answers{
		{"Produce", []int16{NotLeaderOrFollower, NotEnoughReplicas, StorageError}, []int16{RequestTimedOut, NotEnoughReplicasAfter}},
		// A commit whose append timed out is answered with COORDINATOR_NOT_AVAILABLE.
		{"OffsetCommit", coordinator, []int16{CoordinatorNotAvailable}},
		{"Fetch", []int16{NotLeaderOrFollower, FetchSessionIDNotFound}, nil},
		{"Heartbeat", []int16{CoordinatorNotAvailable, NotCoordinator, RebalanceInProgress}, nil},
		{"JoinGroup", coordinator, nil},
		{"SyncGroup", []int16{CoordinatorNotAvailable, NotCoordinator, RebalanceInProgress}, nil},
	}
}

// Refusals are the codes with which a broker refuses a request, nil for a request that no fault refuses.
func Refusals(api string) []int16 {
	for _, a := range table() {
		if a.api == api {
			return slices.Clone(a.refused)
		}
	}
	return nil
}

// Doubts are the codes that a broker may answer although it applied the request, nil if there are none.
func Doubts(api string) []int16 {
	for _, a := range table() {
		if a.api == api {
			return slices.Clone(a.applied)
		}
	}
	return nil
}
