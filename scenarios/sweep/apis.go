package sweep

// side says which roles make a request.
type side int

const (
	everybody side = iota
	writers
	readers
)

// api is a request of Kafka's protocol as the sweep knows it.
type api struct {
	name string
	by   side
	// changes: something is different at the broker once it is applied. What only reads can't be applied in vain or twice.
	changes bool
	// group: a group's coordinator answers it, and a member that waits for it beyond its session is thrown out.
	group bool
	// refused are codes with which a broker refuses it and which clients retry; applied those that it may answer although it
	// applied the request (KafkaApis, ReplicaManager and GroupCoordinator of Apache Kafka; wire.CheckCode knows all of them).
	refused, applied []int16
	// none says why there is no such code, where that is not plain.
	none string
}

// apis are the requests that producers, consumers (classic and KIP-848) and transactional producers make.
var apis = []api{
	{name: "ApiVersions", none: "a broker refuses ApiVersions only for a version that it does not know, and clients then ask in an older one"},
	{name: "Metadata", refused: []int16{5}},
	{name: "FindCoordinator", refused: []int16{15}},
	{
		name: "InitProducerId", by: writers, changes: true, refused: []int16{14},
		none: "the id of an idempotent producer is drawn without a write that could fail after it",
	},
	{name: "Produce", by: writers, changes: true, refused: []int16{6, 19, 56}, applied: []int16{7, 20}},
	{name: "AddPartitionsToTxn", by: writers, changes: true, refused: []int16{14, 15, 16, 51}, applied: []int16{15, 16}},
	{name: "AddOffsetsToTxn", by: writers, changes: true, refused: []int16{14, 15, 16, 51}, applied: []int16{15, 16}},
	{name: "TxnOffsetCommit", by: writers, changes: true, group: true, refused: []int16{14, 15, 16}, applied: []int16{15, 16}},
	{name: "EndTxn", by: writers, changes: true, refused: []int16{14, 15, 16, 51}, applied: []int16{15, 16}},
	{name: "JoinGroup", by: readers, changes: true, group: true, refused: []int16{14, 15, 16}},
	{name: "SyncGroup", by: readers, changes: true, group: true, refused: []int16{15, 16, 27}, applied: []int16{15, 16}},
	{name: "ConsumerGroupHeartbeat", by: readers, changes: true, group: true, refused: []int16{14, 15, 16}, applied: []int16{15, 16}},
	{name: "OffsetFetch", by: readers, group: true, refused: []int16{14, 15, 16}},
	{name: "ListOffsets", by: readers, refused: []int16{6, 78}},
	{name: "OffsetForLeaderEpoch", by: readers, refused: []int16{6, 75}},
	{name: "Fetch", by: readers, refused: []int16{6, 70}},
	{name: "Heartbeat", by: readers, changes: true, group: true, refused: []int16{15, 16, 27}},
	{name: "OffsetCommit", by: readers, changes: true, group: true, refused: []int16{14, 15, 16}, applied: []int16{15}},
	{name: "LeaveGroup", by: readers, changes: true, group: true, refused: []int16{15, 16}, applied: []int16{15, 16}},
}

// APIs are the names of all requests that a sweep looks for.
func APIs() []string {
	names := make([]string, len(apis))
	for i, a := range apis {
		names[i] = a.name
	}
	return names
}

func apiNamed(name string) api {
	for _, a := range apis {
		if a.name == name {
			return a
		}
	}
	return api{}
}
