package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Serve serves h on 127.0.0.1 and runs the role beside it. When ctx ends, requests are finished first, then the role is
// stopped; when the role ends, so does the server.
func Serve(ctx context.Context, s Settings, h http.Handler, role func(context.Context) error) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)))
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	ended := make(chan error, 1)
	go func() { ended <- role(life) }()

	var failed error
	select {
	case <-ctx.Done():
	case failed = <-ended:
	case err := <-served:
		failed = fmt.Errorf("serve: %w", err)
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		failed = errors.Join(failed, fmt.Errorf("serve: stop: %w", err))
	}
	end()
	if failed != nil || ctx.Err() == nil {
		return failed
	}
	return <-ended
}
