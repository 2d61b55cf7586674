package proxy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"tahanuji/faults/proxy"
	"tahanuji/system/broker/observe"
	"tahanuji/system/target"
)

// before starts a proxy before a kfake of the test's own.
func before(t *testing.T, cfg proxy.Config, observed []kgo.Opt, opts ...kfake.Opt) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	k, err := kfake.NewCluster(append(opts, kfake.NumBrokers(2), kfake.SeedTopics(1, topic))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	cfg.Upstream, cfg.Label = k.ListenAddrs(), label
	p, err := proxy.New(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	obs, err := observe.New(k.ListenAddrs(), observed...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(obs.Close)
	return &rig{Proxy: p, t: t, ctx: ctx, obs: obs}
}

func TestAuthenticationPassesThroughAndALateCopyHasItsOwn(t *testing.T) {
	for _, m := range []sasl.Mechanism{
		plain.Auth{User: "uji", Pass: "rahasia"}.AsMechanism(),
		scram.Auth{User: "uji", Pass: "rahasia"}.AsSha256Mechanism(),
	} {
		t.Run(m.Name(), func(t *testing.T) {
			r := before(t, proxy.Config{Auth: proxy.SASL(m)}, []kgo.Opt{kgo.SASL(m)}, kfake.EnableSASL(), kfake.Superuser(m.Name(), "uji", "rahasia"))
			a := r.arm(carries, target.Action{Do: target.LateCopy, For: time.Hour}, 0)
			r.send(r.client("recorder", 1, kgo.SASL(m), kgo.DisableIdempotentWrite()), "event:0", "event:1")
			a.Disarm()
			r.acted(a, 1)
			r.wantLog("event:0", "event:1", "event:1")
		})
	}
}

func TestAWrongPasswordIsAnErrorOfTheProxy(t *testing.T) {
	k, err := kfake.NewCluster(kfake.EnableSASL(), kfake.Superuser("PLAIN", "uji", "rahasia"))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	wrong := plain.Auth{User: "uji", Pass: "salah"}.AsMechanism()
	if _, err := proxy.New(ctx, proxy.Config{Upstream: k.ListenAddrs(), Auth: proxy.SASL(wrong)}); err == nil {
		t.Fatal("a proxy with a wrong password started")
	}
}

func TestTLSIsMadeAnewTowardsTheBroker(t *testing.T) {
	s := httptest.NewUnstartedServer(nil) // for its certificate of 127.0.0.1
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	conf := &tls.Config{RootCAs: roots}
	r := before(t, proxy.Config{TLS: conf}, []kgo.Opt{kgo.DialTLSConfig(conf)}, kfake.TLS(&tls.Config{Certificates: s.TLS.Certificates}))
	a := r.arm(carries, target.Action{Do: target.LateCopy, For: time.Hour}, 0)
	r.send(r.client("recorder", 1, kgo.DisableIdempotentWrite()), "event:0", "event:1")
	a.Disarm()
	r.acted(a, 1)
	if got := r.log(); !slices.Equal(got, []string{"event:0", "event:1", "event:1"}) {
		t.Fatalf("the log holds %q", got)
	}
}
