package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TP is one partition of a topic.
type TP struct {
	Topic     string
	Partition int32
}

// Committed offsets of a group; partitions without one are missing, and a group that there is not has none. A coordinator that
// is still loading is asked again.
func (o *Observer) Committed(ctx context.Context, group string) (map[TP]int64, error) {
	offsets := map[TP]int64{}
	err := until(ctx, "offsets of group "+group, func(ctx context.Context) error {
		clear(offsets)
		req := kmsg.NewPtrOffsetFetchRequest()
		req.Group = group
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group, g.MemberEpoch = group, -1
		req.Groups = append(req.Groups, g)
		resp, err := req.RequestWith(ctx, o.client)
		if err != nil {
			return fmt.Errorf("offset fetch: %w", err)
		}
		return committed(resp, offsets)
	})
	return offsets, err
}

// badGroup lets GROUP_ID_NOT_FOUND pass, which brokers answer for a group that nobody has used yet.
func badGroup(code int16) error {
	if code == kerr.GroupIDNotFound.Code {
		return nil
	}
	return bad("offset fetch", code)
}

func committed(resp *kmsg.OffsetFetchResponse, into map[TP]int64) error {
	put := func(topic string, p int32, offset int64, code int16) error {
		if offset >= 0 {
			into[TP{topic, p}] = offset
		}
		return bad(fmt.Sprintf("offset of %s/%d", topic, p), code)
	}
	if err := badGroup(resp.ErrorCode); err != nil {
		return err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := put(t.Topic, p.Partition, p.Offset, p.ErrorCode); err != nil {
				return err
			}
		}
	}
	for _, g := range resp.Groups {
		if err := badGroup(g.ErrorCode); err != nil {
			return err
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if err := put(t.Topic, p.Partition, p.Offset, p.ErrorCode); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Member of a group. Assigned holds the topics that a classic member was given, decoded from its assignment.
type Member struct {
	ID, ClientID, Host string
	Assigned           []TP
}

// GroupState is a group as its coordinator describes it: state Stable, PreparingRebalance, CompletingRebalance, Empty, Dead
// (also for a group that there is not).
type GroupState struct {
	State, Protocol string
	Members         []Member
}

// Group describes a classic group.
func (o *Observer) Group(ctx context.Context, group string) (GroupState, error) {
	var state GroupState
	err := until(ctx, "group "+group, func(ctx context.Context) error {
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = []string{group}
		resp, err := req.RequestWith(ctx, o.client)
		if err != nil {
			return fmt.Errorf("describe: %w", err)
		}
		if len(resp.Groups) != 1 {
			return fmt.Errorf("describe: %d answers for one group", len(resp.Groups))
		}
		g := resp.Groups[0]
		if g.ErrorCode == kerr.GroupIDNotFound.Code {
			state = GroupState{State: "Dead"}
			return nil
		}
		if err := bad("describe", g.ErrorCode); err != nil {
			return err
		}
		state, err = groupState(g)
		return err
	})
	return state, err
}

func groupState(g kmsg.DescribeGroupsResponseGroup) (GroupState, error) {
	state := GroupState{State: g.State, Protocol: g.Protocol}
	for _, m := range g.Members {
		member := Member{ID: m.MemberID, ClientID: m.ClientID, Host: m.ClientHost}
		if g.ProtocolType == "consumer" && len(m.MemberAssignment) > 0 {
			var a kmsg.ConsumerMemberAssignment
			if err := a.ReadFrom(m.MemberAssignment); err != nil {
				return state, fmt.Errorf("assignment of %s: %w", m.MemberID, err)
			}
			for _, t := range a.Topics {
				for _, p := range t.Partitions {
					member.Assigned = append(member.Assigned, TP{t.Topic, p})
				}
			}
		}
		state.Members = append(state.Members, member)
	}
	slices.SortFunc(state.Members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	return state, nil
}

// SetOffsets commits offsets for a group that has no members. With members the coordinator refuses it
// (UNKNOWN_MEMBER_ID), and so does this, after asking until the context ends, because members may be leaving.
func (o *Observer) SetOffsets(ctx context.Context, group string, offsets map[TP]int64) error {
	return until(ctx, "set offsets of group "+group, func(ctx context.Context) error {
		topics, err := o.ids(ctx, offsets)
		if err != nil {
			return err
		}
		req := kmsg.NewPtrOffsetCommitRequest()
		req.Group, req.Generation = group, -1
		for topic, ps := range topics {
			t := kmsg.NewOffsetCommitRequestTopic()
			t.Topic, t.TopicID = topic.Name, topic.ID
			for _, p := range ps {
				rp := kmsg.NewOffsetCommitRequestTopicPartition()
				rp.Partition, rp.Offset, rp.LeaderEpoch = p, offsets[TP{topic.Name, p}], -1
				t.Partitions = append(t.Partitions, rp)
			}
			req.Topics = append(req.Topics, t)
		}
		resp, err := req.RequestWith(ctx, o.client)
		if err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if err := bad(fmt.Sprintf("commit of partition %d", p.Partition), p.ErrorCode); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// topicID names a topic both ways: OffsetCommit v10 and later carry the id alone.
type topicID struct {
	Name string
	ID   [16]byte
}

func (o *Observer) ids(ctx context.Context, offsets map[TP]int64) (map[topicID][]int32, error) {
	var names []string
	for tp := range offsets {
		if !slices.Contains(names, tp.Topic) {
			names = append(names, tp.Topic)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	topics, err := o.metadata(ctx, names)
	if err != nil {
		return nil, err
	}
	by := map[topicID][]int32{}
	for _, t := range topics {
		for tp := range offsets {
			if tp.Topic == t.Name {
				by[topicID{t.Name, t.ID}] = append(by[topicID{t.Name, t.ID}], tp.Partition)
			}
		}
	}
	return by, nil
}

// Lag of a group over the partitions of the topics that it reads: end offset less committed offset, or less the first
// offset where nothing is committed.
func (o *Observer) Lag(ctx context.Context, group string, topics ...string) (map[TP]int64, error) {
	done, err := o.Committed(ctx, group)
	if err != nil {
		return nil, err
	}
	lag := map[TP]int64{}
	for _, topic := range topics {
		ends, err := o.Ends(ctx, topic)
		if err != nil {
			return nil, err
		}
		starts, err := o.Starts(ctx, topic)
		if err != nil {
			return nil, err
		}
		for p, end := range ends {
			at, ok := done[TP{topic, p}]
			if !ok {
				at = starts[p]
			}
			lag[TP{topic, p}] = max(0, end-at)
		}
	}
	return lag, nil
}
