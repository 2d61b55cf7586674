package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
)

// Ports hands out free TCP ports on loopback. They lie below the range from which the kernel takes the ports of outgoing
// connections, so that a role that is killed finds its port free when it comes back. The UDP port of the same number is held as a
// sign to others who look for ports in this way, in this process or another: two never get the same.
type Ports struct {
	mu    sync.Mutex
	next  int
	signs []net.PacketConn
}

const (
	firstPort = 20000
	portCount = 12000
)

// NewPorts begins its search at a place that the salt chooses.
func NewPorts(salt uint64) *Ports {
	return &Ports{next: int((salt*2654435761 + uint64(os.Getpid())*7919) % portCount)}
}

// Take gives a port on which nobody listens on 127.0.0.1. It is kept until Close.
func (p *Ports) Take(ctx context.Context) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var last error
	for range portCount {
		port := firstPort + p.next
		p.next = (p.next + 1) % portCount
		sign, err := claim(ctx, port)
		if err != nil {
			last = err
			continue
		}
		p.signs = append(p.signs, sign)
		return port, nil
	}
	return 0, fmt.Errorf("process: no free port from %d to %d on 127.0.0.1; last: %w", firstPort, firstPort+portCount-1, last)
}

func claim(ctx context.Context, port int) (net.PacketConn, error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	var listen net.ListenConfig
	sign, err := listen.ListenPacket(ctx, "udp", address)
	if err != nil {
		return nil, err
	}
	l, err := listen.Listen(ctx, "tcp", address)
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		return nil, errors.Join(err, sign.Close())
	}
	return sign, nil
}

// Close gives all ports back.
func (p *Ports) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, sign := range p.signs {
		errs = append(errs, sign.Close())
	}
	p.signs = nil
	return errors.Join(errs...)
}
