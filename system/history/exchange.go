package history

import "time"

// Exchange is one request that passed the fault proxy: what was true (the broker's answer) and what the client was told.
type Exchange struct {
	Seq     int64         `json:"seq"` // counts exchanges from 1, in the order in which requests arrived
	At      time.Duration `json:"at"`  // when the request arrived, from the run's start
	Took    time.Duration `json:"took"`
	Door    string        `json:"door"`   // the role instance whose door it came through, such as "summarizer/2"
	Conn    int64         `json:"conn"`   // connections count from 1
	Client  string        `json:"client"` // client id
	Node    int32         `json:"node"`   // broker node
	API     string        `json:"api"`    // Produce, OffsetCommit, ... (the Kafka protocol's names)
	Version int16         `json:"version"`
	Group   string        `json:"group,omitempty"`
	Member  string        `json:"member,omitempty"`
	// Generation of the group that the request names, -1 where it names none.
	Generation int32 `json:"generation,omitempty"`
	Acks       int16 `json:"acks,omitempty"` // Produce only: -1 is all
	// Applied says whether the broker got the request and answered it; a request that it never saw is not applied, one
	// without an answer is unknown.
	Applied Phase `json:"applied"` // OK, Fail (never sent), Unknown
	// Told says what the client got: OK the broker's own answer, Fail an answer made by a fault, Unknown nothing.
	Told  Phase  `json:"told"`
	Fault string `json:"fault,omitempty"` // the plan's step that touched it
	Do    string `json:"do,omitempty"`    // the action
	Copy  bool   `json:"copy,omitempty"`  // the proxy's own copy of an earlier request
	Items []Item `json:"items,omitempty"`
	Err   string `json:"err,omitempty"`
}

// Item is what one exchange did to one partition (or to nothing in particular: Topic "").
type Item struct {
	Topic     string `json:"topic,omitempty"`
	Partition int32  `json:"partition"`
	Code      int16  `json:"code"` // the broker's error code
	ToldCode  int16  `json:"told"` // the code that the client was told
	// Offset: Produce the base offset as answered by the broker (-1 unknown); OffsetCommit the offset committed; Fetch
	// the offset asked for; OffsetFetch the offset answered.
	Offset     int64 `json:"offset"`
	ToldOffset int64 `json:"toldOffset,omitempty"` // Produce: base offset that the client was told
	ProducerID int64 `json:"producer,string,omitempty"`
	Epoch      int16 `json:"epoch,omitempty"`
	FirstSeq   int32 `json:"firstSeq,omitempty"`
	Records    int   `json:"records,omitempty"`
	// Labels of the records carried by a Produce or answered by a Fetch, in order, where the run can tell them.
	Labels []string `json:"labels,omitempty"`
}
