package wire

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Address of a broker node.
type Address struct {
	Host string
	Port int32
}

// Reroute gives the address that a client is told for a node whose true address is given. An error stops the answer.
type Reroute func(node int32, true Address) (Address, error)

// Rewrite puts each address in an answer through to. It says whether it changed the answer. The places are those of the
// protocol that lead clients anywhere: Metadata, FindCoordinator, DescribeCluster, and the endpoints that KIP-951 added to
// Produce v10 and Fetch v16 and KIP-932 has in ShareFetch and ShareAcknowledge. Nodes that are not known (an id below 0, no
// host) stay as they are: there is nothing to be led to.
func Rewrite(resp kmsg.Response, to Reroute) (changed bool, err error) {
	each(resp, func(node int32, host *string, port *int32) {
		if err != nil || *host == "" {
			return
		}
		a, e := to(node, Address{*host, *port})
		if e != nil {
			err = fmt.Errorf("rewrite %s: node %d at %s:%d: %w", Name(resp.Key()), node, *host, *port, e)
			return
		}
		*host, *port = a.Host, a.Port
		changed = true
	})
	return changed, err
}

// Routes says whether answers of this API may carry addresses, so that one that can't be read must not be passed on.
func Routes(key int16) bool {
	return slices.Contains([]kmsg.Key{
		kmsg.Metadata, kmsg.FindCoordinator, kmsg.DescribeCluster, kmsg.Produce, kmsg.Fetch, kmsg.ShareFetch, kmsg.ShareAcknowledge,
	}, kmsg.Key(key))
}

// each visits every address of an answer.
func each(resp kmsg.Response, visit func(node int32, host *string, port *int32)) {
	switch r := resp.(type) {
	case *kmsg.MetadataResponse:
		for i := range r.Brokers {
			visit(r.Brokers[i].NodeID, &r.Brokers[i].Host, &r.Brokers[i].Port)
		}
	case *kmsg.FindCoordinatorResponse:
		visit(r.NodeID, &r.Host, &r.Port)
		for i := range r.Coordinators {
			c := &r.Coordinators[i]
			visit(c.NodeID, &c.Host, &c.Port)
		}
	case *kmsg.DescribeClusterResponse:
		for i := range r.Brokers {
			visit(r.Brokers[i].NodeID, &r.Brokers[i].Host, &r.Brokers[i].Port)
		}
	case *kmsg.ProduceResponse:
		for i := range r.Brokers {
			visit(r.Brokers[i].NodeID, &r.Brokers[i].Host, &r.Brokers[i].Port)
		}
	case *kmsg.FetchResponse:
		for i := range r.Brokers {
			visit(r.Brokers[i].NodeID, &r.Brokers[i].Host, &r.Brokers[i].Port)
		}
	case *kmsg.ShareFetchResponse:
		for i := range r.NodeEndpoints {
			visit(r.NodeEndpoints[i].NodeID, &r.NodeEndpoints[i].Host, &r.NodeEndpoints[i].Port)
		}
	case *kmsg.ShareAcknowledgeResponse:
		for i := range r.NodeEndpoints {
			visit(r.NodeEndpoints[i].NodeID, &r.NodeEndpoints[i].Host, &r.NodeEndpoints[i].Port)
		}
	}
}
