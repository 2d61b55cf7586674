package broker

import (
	"context"
	"errors"
	"fmt"
)

// rehashes bounds how often coordinators are rehashed until one has moved. With two nodes each try moves it with
// probability 1/2, so 64 in vain do not happen.
const rehashes = 64

var errClosed = errors.New("the cluster is closed")

// Leader of a partition; an error where kfake knows no such partition.
func (e *embedded) Leader(_ context.Context, topic string, partition int32) (int32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leader(topic, partition)
}

func (e *embedded) leader(topic string, partition int32) (int32, error) {
	if e.closed {
		return -1, fmt.Errorf("embedded: leader: %w", errClosed)
	}
	id := e.cluster.LeaderFor(topic, partition)
	if id < 0 {
		return -1, fmt.Errorf("embedded: leader: no partition %s/%d", topic, partition)
	}
	return id, nil
}

// Coordinator of a group. Groups that nobody uses have one too: it is computed.
func (e *embedded) Coordinator(_ context.Context, group string) (int32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return -1, fmt.Errorf("embedded: coordinator: %w", errClosed)
	}
	return e.cluster.CoordinatorFor(group), nil
}

// Down resets the node's connections, refuses new ones and moves what it led to the next node that is up. A node that is
// down already stays so. Requests that the node had taken in may still be applied, unanswered, as on a real one.
func (e *embedded) Down(_ context.Context, id int32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fmt.Errorf("embedded: node %d down: %w", id, errClosed)
	}
	g, ok := e.gates[id]
	if !ok {
		return fmt.Errorf("embedded: node %d down: there is no such node", id)
	}
	if _, is := e.down[id]; is {
		return nil
	}
	last := len(e.up()) == 1
	leaders := e.leaders()
	was := g.shut()
	e.down[id] = was
	if last { // kfake refuses to lose its last node: it stays in Metadata, and nobody reaches it
		return nil
	}
	if err := e.cluster.RemoveNode(id); err != nil {
		return fmt.Errorf("embedded: node %d down: %w", id, err)
	}
	e.down[id] = nil
	next := e.after(id)
	for at, leader := range leaders {
		if leader == id {
			leaders[at] = next
		}
	}
	return e.place(leaders)
}

// Up brings a node back under its own address, with the data. Leaders stay where they are, as in Kafka until the next
// preferred election.
func (e *embedded) Up(_ context.Context, id int32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fmt.Errorf("embedded: node %d up: %w", id, errClosed)
	}
	was, is := e.down[id]
	if !is {
		if _, ok := e.gates[id]; !ok {
			return fmt.Errorf("embedded: node %d up: there is no such node", id)
		}
		return nil
	}
	if was != nil {
		e.gates[id].reopen(was)
		delete(e.down, id)
		return nil
	}
	leaders := e.leaders()
	if _, _, err := e.cluster.AddNode(id, e.gates[id].port()); err != nil {
		return fmt.Errorf("embedded: node %d up: %w", id, err)
	}
	delete(e.down, id)
	return e.place(leaders)
}

// MoveLeader gives a partition to the next node that is up; an error if there is none.
func (e *embedded) MoveLeader(_ context.Context, topic string, partition int32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	from, err := e.leader(topic, partition)
	if err != nil {
		return err
	}
	to := e.after(from)
	if to == from {
		return fmt.Errorf("embedded: move leader of %s/%d: node %d is the only one that is up", topic, partition, from)
	}
	if err := e.cluster.MoveTopicPartition(topic, partition, to); err != nil {
		return fmt.Errorf("embedded: move leader of %s/%d: %w", topic, partition, err)
	}
	return nil
}

// MoveCoordinator rehashes until the group's coordinator is another node; an error if no other is up.
func (e *embedded) MoveCoordinator(_ context.Context, group string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fmt.Errorf("embedded: move coordinator of %s: %w", group, errClosed)
	}
	from := e.cluster.CoordinatorFor(group)
	for range rehashes {
		e.cluster.RehashCoordinators()
		if e.cluster.CoordinatorFor(group) != from {
			return nil
		}
	}
	return fmt.Errorf("embedded: move coordinator of %s: still node %d after %d tries, with nodes %v up", group, from, rehashes, e.up())
}

type partition struct {
	topic string
	n     int32
}

// leaders of the topics that the cluster was started with. kfake draws leaders anew whenever its nodes change, so they are
// put back afterwards: only what the node led may move.
func (e *embedded) leaders() map[partition]int32 {
	leaders := map[partition]int32{}
	for _, t := range e.topics {
		for n := range int32(t.Partitions) {
			if id := e.cluster.LeaderFor(t.Name, n); id >= 0 { // a topic may have been deleted meanwhile
				leaders[partition{t.Name, n}] = id
			}
		}
	}
	return leaders
}

func (e *embedded) place(leaders map[partition]int32) error {
	for at, id := range leaders {
		if e.cluster.LeaderFor(at.topic, at.n) == id {
			continue
		}
		if err := e.cluster.MoveTopicPartition(at.topic, at.n, id); err != nil {
			return fmt.Errorf("embedded: place %s/%d: %w", at.topic, at.n, err)
		}
	}
	return nil
}

func (e *embedded) up() []int32 {
	var ids []int32
	for _, id := range e.all {
		if _, is := e.down[id]; !is {
			ids = append(ids, id)
		}
	}
	return ids
}

// after is the next node that is up, in the order of ids, around; id itself where no other is up.
func (e *embedded) after(id int32) int32 {
	n := int32(len(e.all))
	for k := int32(1); k < n; k++ {
		next := (id + k) % n
		if _, is := e.down[next]; !is {
			return next
		}
	}
	return id
}
