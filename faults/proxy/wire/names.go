package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Keys that are treated in a way of their own.
const (
	keyProduce        = int16(kmsg.Produce)
	keyFetch          = int16(kmsg.Fetch)
	keyOffsetCommit   = int16(kmsg.OffsetCommit)
	keySASLHandshake  = int16(kmsg.SASLHandshake)
	keyApiVersions    = int16(kmsg.ApiVersions)
	keyDescribeQuorum = int16(kmsg.DescribeQuorum)
)

// spelled holds the names that Kafka spells otherwise than kmsg does (Kafka protocol guide, "API Keys").
var spelled = map[int16]string{
	int16(kmsg.SASLHandshake):                "SaslHandshake",
	int16(kmsg.SASLAuthenticate):             "SaslAuthenticate",
	int16(kmsg.InitProducerID):               "InitProducerId",
	int16(kmsg.DescribeACLs):                 "DescribeAcls",
	int16(kmsg.CreateACLs):                   "CreateAcls",
	int16(kmsg.DeleteACLs):                   "DeleteAcls",
	int16(kmsg.DescribeUserSCRAMCredentials): "DescribeUserScramCredentials",
	int16(kmsg.AlterUserSCRAMCredentials):    "AlterUserScramCredentials",
	int16(kmsg.AlterPartitionAssignments):    "AlterPartitionReassignments",
}

// Name of an API as the Kafka protocol spells it.
func Name(key int16) string {
	if n, ok := spelled[key]; ok {
		return n
	}
	return kmsg.NameForKey(key)
}

// Key of an API's name; false for a name that there is not.
func Key(name string) (int16, bool) {
	for k := range int16(kmsg.MaxKey + 1) {
		if Name(k) == name {
			return k, true
		}
	}
	return 0, false
}

// inner are the requests that brokers and controllers send each other. Clients send none of them, and answers to some carry
// addresses of other listeners, so they are not let through.
var inner = map[int16]bool{
	int16(kmsg.LeaderAndISR): true, int16(kmsg.StopReplica): true, int16(kmsg.UpdateMetadata): true,
	int16(kmsg.ControlledShutdown): true, int16(kmsg.WriteTxnMarkers): true, int16(kmsg.Vote): true,
	int16(kmsg.BeginQuorumEpoch): true, int16(kmsg.EndQuorumEpoch): true, int16(kmsg.AlterPartition): true,
	int16(kmsg.Envelope): true, int16(kmsg.FetchSnapshot): true, int16(kmsg.BrokerRegistration): true,
	int16(kmsg.BrokerHeartbeat): true, int16(kmsg.AllocateProducerIDs): true, int16(kmsg.ControllerRegistration): true,
	int16(kmsg.AssignReplicasToDirs): true, int16(kmsg.UpdateRaftVoter): true,
	int16(kmsg.InitializeShareGroupState): true, int16(kmsg.ReadShareGroupState): true, int16(kmsg.WriteShareGroupState): true,
	int16(kmsg.DeleteShareGroupState): true, int16(kmsg.ReadShareGroupStateSummary): true,
}

// Passes says whether clients may send requests of this API through the proxy.
func Passes(key int16) bool { return !inner[key] }

// maxVersion is the highest version of a request that passes: what kmsg can read, and for DescribeQuorum v1, because from v2
// on the answer carries the controllers' own listeners (KIP-853).
func maxVersion(r kmsg.Request) int16 {
	if r.Key() == keyDescribeQuorum {
		return min(1, r.MaxVersion())
	}
	return r.MaxVersion()
}

// minVersion is the lowest version that passes. After SaslHandshake v0 tokens come in frames without a header, which nobody
// could tell from requests; v1 wraps them in SaslAuthenticate (KIP-152).
func minVersion(key int16) int16 {
	if key == keySASLHandshake {
		return 1
	}
	return 0
}

// Clamp takes from an ApiVersions answer what does not pass: unknown APIs, those between brokers, versions that can't be read.
func Clamp(resp *kmsg.ApiVersionsResponse) {
	keys := resp.ApiKeys[:0:0]
	for _, k := range resp.ApiKeys {
		req := kmsg.RequestForKey(k.ApiKey)
		if req == nil || !Passes(k.ApiKey) {
			continue
		}
		k.MaxVersion = min(k.MaxVersion, maxVersion(req))
		k.MinVersion = max(k.MinVersion, minVersion(k.ApiKey))
		if k.MinVersion <= k.MaxVersion {
			keys = append(keys, k)
		}
	}
	resp.ApiKeys = keys
}

// Unsupported is the answer to an ApiVersions of a version that is not known: v0, UNSUPPORTED_VERSION, and the versions of
// ApiVersions itself, so that the client asks again with one of those (KIP-511).
func Unsupported() *kmsg.ApiVersionsResponse {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.ErrorCode = 35
	k := kmsg.NewApiVersionsResponseApiKey()
	k.ApiKey, k.MaxVersion = keyApiVersions, kmsg.NewPtrApiVersionsRequest().MaxVersion()
	resp.ApiKeys = append(resp.ApiKeys, k)
	return resp
}
