package proxy

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"

	"tahanuji/faults/proxy/wire"
)

// rounds bounds the exchange of an authentication; SCRAM takes two.
const rounds = 8

// SASL makes an Auth for clusters that want one (SaslHandshake v1 and SaslAuthenticate v0, KIP-43 and KIP-152). A late copy
// comes on a connection of the proxy's own, which can't borrow the client's authentication: SCRAM can't be replayed.
func SASL(m sasl.Mechanism) func(context.Context, net.Conn) error {
	return func(ctx context.Context, c net.Conn) error {
		stop := context.AfterFunc(ctx, func() { _ = c.Close() })
		defer stop()
		hello := kmsg.NewPtrSASLHandshakeRequest()
		hello.SetVersion(1)
		hello.Mechanism = m.Name()
		resp, err := exchange(c, hello, 1)
		if err != nil {
			return err
		}
		if err := kerr.ErrorForCode(resp.(*kmsg.SASLHandshakeResponse).ErrorCode); err != nil {
			return fmt.Errorf("sasl %s: %w", m.Name(), err)
		}
		session, token, err := m.Authenticate(ctx, c.RemoteAddr().String())
		if err != nil {
			return fmt.Errorf("sasl %s: %w", m.Name(), err)
		}
		for i := range int32(rounds) {
			req := kmsg.NewPtrSASLAuthenticateRequest()
			req.SASLAuthBytes = token
			resp, err := exchange(c, req, i+2)
			if err != nil {
				return err
			}
			a := resp.(*kmsg.SASLAuthenticateResponse)
			if err := kerr.ErrorForCode(a.ErrorCode); err != nil {
				return fmt.Errorf("sasl %s: %w", m.Name(), err)
			}
			done, next, err := session.Challenge(a.SASLAuthBytes)
			if err != nil {
				return fmt.Errorf("sasl %s: %w", m.Name(), err)
			}
			if done {
				return nil
			}
			token = next
		}
		return fmt.Errorf("sasl %s: not done after %d rounds", m.Name(), rounds)
	}
}

// exchange writes one request to a connection of the proxy's own and reads its answer.
func exchange(c net.Conn, req kmsg.Request, corr int32) (kmsg.Response, error) {
	raw := kmsg.NewRequestFormatter(kmsg.FormatterClientID("tahanuji-proxy")).AppendRequest(nil, req, corr)
	if _, err := c.Write(raw); err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.RemoteAddr(), err)
	}
	return receive(c, wire.Request{Key: req.Key(), Version: req.GetVersion(), Corr: int32(binary.BigEndian.Uint32(raw[8:])), Body: req})
}

func receive(c net.Conn, q wire.Request) (kmsg.Response, error) {
	raw, err := wire.ReadFrame(c)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.RemoteAddr(), err)
	}
	return wire.ParseResponse(raw, q)
}
