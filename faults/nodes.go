package faults

import (
	"context"
	"fmt"

	"tahanuji/faults/aim"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// hurtNode carries out an action on the broker's nodes.
func (r *Running) hurtNode(a *active) error {
	ctx, cancel := r.limited()
	defer cancel()
	return map[target.Verb]func(context.Context, *active) error{
		target.NodeDown: r.nodeDown, target.LeaderMove: r.leaderMove, target.CoordinatorMove: r.coordinatorMove,
	}[a.step.Do.Do](ctx, a)
}

func (r *Running) leaderMove(ctx context.Context, a *active) error {
	where, err := r.where(a.step)
	if err != nil {
		return err
	}
	if err := r.set.Nodes.MoveLeader(ctx, where.Topic, where.Partition); err != nil {
		return err
	}
	r.did(a, fmt.Sprintf("the leader of %s/%d moved", where.Topic, where.Partition))
	return nil
}

func (r *Running) coordinatorMove(ctx context.Context, a *active) error {
	group, err := r.group(a.step)
	if err != nil {
		return err
	}
	if err := r.set.Nodes.MoveCoordinator(ctx, group); err != nil {
		return err
	}
	r.did(a, fmt.Sprintf("the coordinator of group %s moved", group))
	return nil
}

func (r *Running) nodeDown(ctx context.Context, a *active) error {
	id, why, err := r.node(ctx, a.step)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.down[id] = true
	r.mu.Unlock()
	if err := r.set.Nodes.Down(ctx, id); err != nil {
		return fmt.Errorf("node %d: %w", id, err)
	}
	r.did(a, fmt.Sprintf("node %d, %s, went down", id, why))
	r.pause(a.step.Do.For)
	up, cancel := r.limited()
	defer cancel()
	if err := r.set.Nodes.Up(up, id); err != nil {
		return fmt.Errorf("node %d: %w", id, err)
	}
	r.mu.Lock()
	delete(r.down, id)
	r.mu.Unlock()
	r.tell(a, true, fmt.Sprintf("node %d is up", id))
	return nil
}

// node finds the node that a step names by what it does.
func (r *Running) node(ctx context.Context, step target.Step) (id int32, why string, err error) {
	switch step.Do.Of {
	case aim.Leader:
		where, err := r.where(step)
		if err != nil {
			return 0, "", err
		}
		id, err = r.set.Nodes.Leader(ctx, where.Topic, where.Partition)
		return id, fmt.Sprintf("the leader of %s/%d", where.Topic, where.Partition), err
	case aim.Coordinator:
		group, err := r.group(step)
		if err != nil {
			return 0, "", err
		}
		id, err = r.set.Nodes.Coordinator(ctx, group)
		return id, "the coordinator of group " + group, err
	}
	ids := r.set.Nodes.IDs()
	if len(ids) == 0 {
		return 0, "", fmt.Errorf("the broker has no node")
	}
	return ids[0], "the first", nil
}

// where is the position of the moment's record; for a moment without a record, the first partition of the load's topic.
func (r *Running) where(step target.Step) (history.Position, error) {
	if step.At.After == Rest || step.At.After == Start {
		if r.set.Load == nil {
			return history.Position{}, fmt.Errorf("after %s there is no record whose partition could be meant", step.At.After)
		}
		return history.Position{Topic: r.set.Load.Topic}, nil
	}
	where, ok := r.set.Moments.Where(step.At.After)
	if !ok {
		return where, fmt.Errorf("the position of %s is not known", step.At.After)
	}
	return where, nil
}

// group is the consumer group of the step's role; a recorder has none, so the group that reads the load's topic is meant.
func (r *Running) group(step target.Step) (string, error) {
	if r.set.Doc == nil {
		return "", fmt.Errorf("there is no document that names the group of %q", step.Do.Role)
	}
	other := ""
	for _, f := range r.set.Doc.Flows {
		if f.Group == "" {
			continue
		}
		if f.Role == step.Do.Role {
			return f.Group, nil
		}
		if other == "" || r.set.Load != nil && f.Reads == r.set.Load.Topic {
			other = f.Group
		}
	}
	if other == "" {
		return "", fmt.Errorf("the document has no group for role %q", step.Do.Role)
	}
	return other, nil
}
