package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"

	"tahanuji/faults/proxy/wire"
)

func request(req kmsg.Request, corr int32) []byte {
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID("uji")).AppendRequest(nil, req, corr)
}

func TestAFrameIsReadWholeOrNotAtAll(t *testing.T) {
	big := append(binary.BigEndian.AppendUint32(nil, 3<<20), make([]byte, 3<<20)...)
	for what, c := range map[string]struct {
		in   []byte
		want error
	}{
		"nothing":                      {nil, io.EOF},
		"half a length":                {[]byte{0, 0}, io.ErrUnexpectedEOF},
		"a frame that is cut":          {[]byte{0, 0, 0, 9, 1}, io.ErrUnexpectedEOF},
		"a length and no more":         {[]byte{0, 0, 0, 9}, io.ErrUnexpectedEOF},
		"a big frame that is cut":      {big[:2<<20], io.ErrUnexpectedEOF},
		"a length below zero":          {[]byte{0x80, 0, 0, 0}, wire.ErrTooLarge},
		"a length beyond the limit":    {[]byte{0x7f, 0, 0, 0}, wire.ErrTooLarge},
		"an empty frame":               {[]byte{0, 0, 0, 0}, nil},
		"a frame and some of the next": {[]byte{0, 0, 0, 1, 7, 0}, nil},
		"a frame that comes in chunks": {big, nil},
	} {
		raw, err := wire.ReadFrame(bytes.NewReader(c.in))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
		if c.want == nil && (len(raw) < 4 || !bytes.HasPrefix(c.in, raw)) {
			t.Errorf("%s: %d bytes were read", what, len(raw))
		}
	}
}

// Each answer that may carry addresses, at each version that has them, and how many.
func TestEveryAddressIsRewrittenAtEveryVersion(t *testing.T) {
	answers := map[kmsg.Key]func() kmsg.Response{
		kmsg.Metadata: func() kmsg.Response {
			return &kmsg.MetadataResponse{Brokers: []kmsg.MetadataResponseBroker{{NodeID: 1, Host: "true", Port: 9}, {NodeID: 2, Host: "true", Port: 9}}}
		},
		kmsg.DescribeCluster: func() kmsg.Response {
			return &kmsg.DescribeClusterResponse{Brokers: []kmsg.DescribeClusterResponseBroker{{NodeID: 1, Host: "true", Port: 9}}}
		},
		kmsg.Produce: func() kmsg.Response {
			return &kmsg.ProduceResponse{Brokers: []kmsg.ProduceResponseBroker{{NodeID: 1, Host: "true", Port: 9}}}
		},
		kmsg.Fetch: func() kmsg.Response {
			return &kmsg.FetchResponse{Brokers: []kmsg.FetchResponseBroker{{NodeID: 1, Host: "true", Port: 9}}}
		},
		kmsg.ShareFetch: func() kmsg.Response {
			return &kmsg.ShareFetchResponse{NodeEndpoints: []kmsg.ShareFetchResponseNodeEndpoint{{NodeID: 1, Host: "true", Port: 9}}}
		},
		kmsg.ShareAcknowledge: func() kmsg.Response {
			return &kmsg.ShareAcknowledgeResponse{NodeEndpoints: []kmsg.ShareAcknowledgeResponseNodeEndpoint{{NodeID: 1, Host: "true", Port: 9}}}
		},
		kmsg.FindCoordinator: func() kmsg.Response {
			return &kmsg.FindCoordinatorResponse{NodeID: 1, Host: "true", Port: 9,
				Coordinators: []kmsg.FindCoordinatorResponseCoordinator{{Key: "g", NodeID: 1, Host: "true", Port: 9}}}
		},
	}
	for key, answer := range answers {
		if !wire.Routes(int16(key)) {
			t.Errorf("%s is not known to route", key.Name())
		}
		for v := int16(0); v <= answer().MaxVersion(); v++ {
			resp := answer()
			resp.SetVersion(v)
			if changed, err := wire.Rewrite(resp, func(int32, wire.Address) (wire.Address, error) { return wire.Address{Host: "door", Port: 7}, nil }); err != nil || !changed {
				t.Fatalf("%s v%d: changed %v, %v", key.Name(), v, changed, err)
			}
			raw := wire.AppendResponse(nil, 1, resp)
			if bytes.Contains(raw, []byte("true")) {
				t.Errorf("%s v%d still carries a true address", key.Name(), v)
			}
			if _, err := wire.ParseResponse(raw, wire.Request{Key: int16(key), Version: v, Corr: 1, Body: kmsg.RequestForKey(int16(key))}); err != nil {
				t.Errorf("%s v%d can't be read again: %v", key.Name(), v, err)
			}
		}
	}
}

// A new field with an address in kmsg must not go unnoticed: whoever adds it to the protocol makes this test fail.
func TestNoOtherAnswerCarriesAHostAndAPort(t *testing.T) {
	for key := range int16(kmsg.MaxKey + 1) {
		resp := kmsg.ResponseForKey(key)
		if resp == nil || wire.Routes(key) {
			continue
		}
		if at := hosts(reflect.TypeOf(resp).Elem(), ""); at != "" && wire.Passes(key) && !slices.Contains(harmless, wire.Name(key)) {
			t.Errorf("%s carries addresses at %s and is not rewritten", wire.Name(key), at)
		}
	}
}

// harmless answers have hosts that lead no client anywhere: DescribeQuorum only from v2 on, which is clamped away; the
// endpoints of StreamsGroup are the applications' own.
var harmless = []string{"DescribeQuorum", "StreamsGroupHeartbeat", "StreamsGroupDescribe"}

func hosts(t reflect.Type, at string) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return hosts(t.Elem(), at)
	case reflect.Struct:
		_, host := t.FieldByName("Host")
		_, port := t.FieldByName("Port")
		if host && port {
			return at
		}
		for i := range t.NumField() {
			if in := hosts(t.Field(i).Type, at+"."+t.Field(i).Name); in != "" {
				return in
			}
		}
	default:
	}
	return ""
}

func TestANodeThatIsNotKnownKeepsItsEmptyAddress(t *testing.T) {
	resp := &kmsg.FindCoordinatorResponse{ErrorCode: 15, NodeID: -1, Port: -1}
	changed, err := wire.Rewrite(resp, func(int32, wire.Address) (wire.Address, error) { return wire.Address{}, errors.New("asked") })
	if changed || err != nil {
		t.Fatalf("changed %v, %v", changed, err)
	}
}

// named makes a request that names one partition, where the API names any.
func named(key int16, v int16) kmsg.Request {
	req := kmsg.RequestForKey(key)
	req.SetVersion(v)
	switch q := req.(type) {
	case *kmsg.ProduceRequest:
		q.Topics = []kmsg.ProduceRequestTopic{{Topic: "t", Partitions: []kmsg.ProduceRequestTopicPartition{{Partition: 1}}}}
	case *kmsg.OffsetCommitRequest:
		q.Topics = []kmsg.OffsetCommitRequestTopic{{Topic: "t", Partitions: []kmsg.OffsetCommitRequestTopicPartition{{Partition: 1}}}}
	case *kmsg.TxnOffsetCommitRequest:
		q.Topics = []kmsg.TxnOffsetCommitRequestTopic{{Topic: "t", Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{{Partition: 1}}}}
	case *kmsg.ListOffsetsRequest:
		q.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: "t", Partitions: []kmsg.ListOffsetsRequestTopicPartition{{Partition: 1}}}}
	case *kmsg.OffsetForLeaderEpochRequest:
		q.Topics = []kmsg.OffsetForLeaderEpochRequestTopic{{Topic: "t", Partitions: []kmsg.OffsetForLeaderEpochRequestTopicPartition{{Partition: 1}}}}
	case *kmsg.OffsetFetchRequest:
		q.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: "t", Partitions: []int32{1}}}
		q.Groups = []kmsg.OffsetFetchRequestGroup{{Group: "g"}}
	case *kmsg.FindCoordinatorRequest:
		q.CoordinatorKeys = []string{"g"}
	case *kmsg.AddPartitionsToTxnRequest:
		q.Topics = []kmsg.AddPartitionsToTxnRequestTopic{{Topic: "t", Partitions: []int32{1}}}
	}
	return req
}

// codesIn finds all error codes in an answer as it is on the wire.
func codesIn(v reflect.Value) []int16 {
	var codes []int16
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return codesIn(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			codes = append(codes, codesIn(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "ErrorCode" {
				codes = append(codes, int16(v.Field(i).Int()))
				continue
			}
			if v.Type().Field(i).IsExported() {
				codes = append(codes, codesIn(v.Field(i))...)
			}
		}
	default:
	}
	return codes
}

func TestARefusalHasItsCodeOnTheWireAtEveryVersion(t *testing.T) {
	tried := 0
	for key := range int16(kmsg.MaxKey + 1) {
		for _, code := range wire.Codes(wire.Name(key), false) {
			for v := int16(0); v <= kmsg.RequestForKey(key).MaxVersion(); v++ {
				req := named(key, v)
				resp, ok := wire.Refuse(req, code)
				if !ok {
					if wire.Name(key) != "Metadata" && wire.Name(key) != "Fetch" {
						t.Errorf("%s v%d can't be refused with %d", wire.Name(key), v, code)
					}
					continue
				}
				raw := wire.AppendResponse(nil, 5, resp)
				got, err := wire.ParseResponse(raw, wire.Request{Key: key, Version: v, Corr: 5, Body: req})
				if err != nil {
					t.Fatalf("%s v%d: %v", wire.Name(key), v, err)
				}
				if !slices.Contains(codesIn(reflect.ValueOf(got)), code) {
					t.Errorf("%s v%d: the refusal with %d has no code: %+v", wire.Name(key), v, code, got)
				}
				tried++
			}
		}
	}
	if tried < 500 {
		t.Fatalf("only %d refusals were tried", tried)
	}
}

func TestACodeThatNoBrokerAnswersIsRefusedWithTheKnownOnes(t *testing.T) {
	err := wire.CheckCode("Heartbeat", 6, false)
	if err == nil || !strings.Contains(err.Error(), "NOT_LEADER") || !strings.Contains(err.Error(), "27") {
		t.Fatal(err)
	}
	if err := wire.CheckCode("Heartbeat", 27, false); err != nil {
		t.Fatal(err)
	}
	for key := range int16(kmsg.MaxKey + 1) {
		refused := wire.Codes(wire.Name(key), false)
		for _, applied := range wire.Codes(wire.Name(key), true) {
			if !slices.Contains(refused, applied) && applied != 51 {
				t.Errorf("%s answers %d only after it applied", wire.Name(key), applied)
			}
		}
	}
}

func TestABlamedAnswerCarriesNothingThatTheErrorDoesNot(t *testing.T) {
	produce := &kmsg.ProduceResponse{Topics: []kmsg.ProduceResponseTopic{{Partitions: []kmsg.ProduceResponseTopicPartition{{BaseOffset: 7}}}}}
	if !wire.Blame(produce, 7) || produce.Topics[0].Partitions[0].BaseOffset != -1 {
		t.Errorf("Produce: %+v", produce)
	}
	fetch := &kmsg.FetchResponse{Version: 12, Topics: []kmsg.FetchResponseTopic{{Partitions: []kmsg.FetchResponseTopicPartition{{HighWatermark: 7, RecordBatches: []byte("r")}}}}}
	if !wire.Blame(fetch, 6) || len(fetch.Topics[0].Partitions[0].RecordBatches) > 0 || fetch.ErrorCode != 0 {
		t.Errorf("Fetch: %+v", fetch)
	}
	if !wire.Blame(fetch, 70) || len(fetch.Topics) > 0 || fetch.ErrorCode != 70 {
		t.Errorf("Fetch as a whole: %+v", fetch)
	}
	if wire.Blame(&kmsg.FetchResponse{Version: 12}, 6) {
		t.Error("an incremental Fetch that names no partition got a partition's code")
	}
}

func TestNamesAreTheProtocolsAndLeadBack(t *testing.T) {
	for key := range int16(kmsg.MaxKey + 1) {
		if back, ok := wire.Key(wire.Name(key)); !ok || back != key {
			t.Errorf("%s leads to %d, want %d", wire.Name(key), back, key)
		}
	}
	for _, name := range []string{"Produce", "InitProducerId", "SaslHandshake", "ConsumerGroupHeartbeat"} {
		if _, ok := wire.Key(name); !ok {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestARequestIsReadAsItWasWrittenWhateverTheVersion(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		key := int16(rapid.SampledFrom([]kmsg.Key{kmsg.Produce, kmsg.Fetch, kmsg.OffsetCommit, kmsg.JoinGroup, kmsg.Heartbeat, kmsg.Metadata, kmsg.ApiVersions}).Draw(rt, "key"))
		v := rapid.Int16Range(0, kmsg.RequestForKey(key).MaxVersion()).Draw(rt, "version")
		corr := rapid.Int32().Draw(rt, "corr")
		raw := request(named(key, v), corr)
		q, err := wire.ParseRequest(raw)
		if err != nil {
			rt.Fatal(err)
		}
		if q.Key != key || q.Version != v || q.Corr != corr || q.Client != "uji" || !bytes.Equal(q.Body.AppendTo(nil), named(key, v).AppendTo(nil)) {
			rt.Fatalf("read %+v", q)
		}
	})
}

// FuzzRequest: whatever comes, reading it ends without a panic, and what is read can be answered with a refusal that reads.
func FuzzRequest(f *testing.F) {
	for _, key := range []int16{0, 1, 3, 8, 11, 18} {
		f.Add(request(named(key, kmsg.RequestForKey(key).MaxVersion()), 1))
	}
	f.Add([]byte{0, 0, 0, 2, 0, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := wire.ReadFrame(bytes.NewReader(raw))
		if err != nil {
			return
		}
		q, err := wire.ParseRequest(frame)
		if err != nil || q.Body == nil {
			return
		}
		r := wire.Reader{Label: func(string, []byte) string { return "" }}
		v := r.Request(q.Body)
		resp, ok := wire.Refuse(q.Body, 15)
		if !ok {
			return
		}
		if _, err := wire.ParseResponse(wire.AppendResponse(nil, q.Corr, resp), q); err != nil {
			t.Fatalf("the refusal of %s v%d can't be read: %v", wire.Name(q.Key), q.Version, err)
		}
		r.Response(&v, resp)
	})
}

// FuzzResponse: whatever a broker answers, reading it ends without a panic.
func FuzzResponse(f *testing.F) {
	for _, key := range []int16{0, 1, 3, 8, 9, 10, 11, 18} {
		v := kmsg.RequestForKey(key).MaxVersion()
		f.Add(key, v, wire.AppendResponse(nil, 1, named(key, v).ResponseKind()))
	}
	f.Fuzz(func(t *testing.T, key, version int16, raw []byte) {
		req := kmsg.RequestForKey(key)
		if req == nil || version < 0 || version > req.MaxVersion() {
			return
		}
		req.SetVersion(version)
		resp, err := wire.ParseResponse(raw, wire.Request{Key: key, Version: version, Corr: 1, Body: req})
		if err != nil {
			return
		}
		r := wire.Reader{Label: func(string, []byte) string { return "x" }}
		v := r.Request(req)
		r.Response(&v, resp)
		wire.Blame(resp, 15)
	})
}
