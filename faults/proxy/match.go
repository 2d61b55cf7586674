package proxy

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy/wire"
	"tahanuji/system/target"
)

// reads says whether a request changes nothing at the broker. (A Fetch moves its session on, which a client makes anew.)
func reads(key int16) bool {
	return slices.Contains([]kmsg.Key{
		kmsg.Fetch, kmsg.Metadata, kmsg.ListOffsets, kmsg.OffsetFetch, kmsg.FindCoordinator, kmsg.ApiVersions,
		kmsg.OffsetForLeaderEpoch, kmsg.DescribeCluster, kmsg.DescribeGroups, kmsg.DescribeConfigs, kmsg.ListGroups,
	}, kmsg.Key(key))
}

// onAnswer says whether a step's moment is known only by the broker's answer.
func onAnswer(step target.Step) bool {
	refused := step.Do.Do == target.NotApplied
	switch step.At.API {
	case "Fetch":
		return step.At.Carries != "" || (refused && !wire.TopFetch(step.Do.Code))
	case "Metadata":
		return refused
	}
	return false
}

// meets says whether a request that came through a door is the step's moment.
func (a *Armed) meets(p *Proxy, d *door, api string, v *wire.View) bool {
	m := a.step.At
	return m.API == api &&
		(m.Role == "" || m.Role == d.role) &&
		(m.Member == 0 || m.Member == d.instance) &&
		(m.Carries == "" || carries(v, m.Carries)) &&
		p.places.come(m.After) &&
		(m.Passes == "" || p.places.passes(v, m.Passes))
}

func carries(v *wire.View, label string) bool {
	for i := range v.Items {
		if slices.Contains(v.Items[i].Labels, label) {
			return true
		}
	}
	return false
}

// isKill says whether whoever sent the request is gone when the hook has been called.
func (a *Armed) isKill() bool { return a.hook != nil && a.step.Do.Do == target.Kill }

// how a connection ends, for verbs that end one; a reset where the step does not say.
func (a *Armed) how() string {
	if a.step.Do.How == "" {
		return rst
	}
	return a.step.Do.How
}
