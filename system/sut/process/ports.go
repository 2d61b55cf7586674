package process

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
)

// Ports hands out free TCP ports on loopback, each once. They lie below the range from which the kernel takes the ports of
// outgoing connections, so that a role that is killed finds its port free when it comes back.
type Ports struct {
	mu    sync.Mutex
	next  int
	given map[int]bool
}

const (
	firstPort = 20000
	portCount = 12000
)

// NewPorts begins its search at a place that the salt chooses; suites that run side by side seldom meet there.
func NewPorts(salt uint64) *Ports {
	return &Ports{next: int((salt*2654435761 + uint64(os.Getpid())*7919) % portCount), given: map[int]bool{}}
}

// Take gives a port on which nobody listens on 127.0.0.1.
func (p *Ports) Take() (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var last error
	for range portCount {
		port := firstPort + p.next
		p.next = (p.next + 1) % portCount
		if p.given[port] {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			last = err
			continue
		}
		if err := l.Close(); err != nil {
			last = err
			continue
		}
		p.given[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("process: no free port from %d to %d on 127.0.0.1; last: %w", firstPort, firstPort+portCount-1, last)
}
