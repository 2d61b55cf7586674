package kafka

import (
	"context"
	"errors"
	"fmt"

	"tahanuji/reference/port"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// CreateTopic creates a topic, for roles that misbehave; one that exists is fine.
func (p *Port) CreateTopic(ctx context.Context, name string, partitions int32) error {
	return p.admin(ctx, func(ctx context.Context, adm *kadm.Client) error {
		_, err := adm.CreateTopic(ctx, partitions, -1, nil, name)
		if errors.Is(err, kerr.TopicAlreadyExists) {
			return nil
		}
		return err
	})
}

// AlterTopic changes a live topic, for roles that misbehave.
func (p *Port) AlterTopic(ctx context.Context, name string, change port.TopicChange) error {
	return p.admin(ctx, func(ctx context.Context, adm *kadm.Client) error {
		var configs []kadm.AlterConfig
		for key, value := range change.Config {
			configs = append(configs, kadm.AlterConfig{Op: kadm.SetConfig, Name: key, Value: &value})
		}
		if len(configs) > 0 {
			answers, err := adm.AlterTopicConfigs(ctx, configs, name)
			if err != nil {
				return err
			}
			for _, a := range answers {
				if a.Err != nil {
					return a.Err
				}
			}
		}
		return partitions(ctx, adm, name, change.Partitions)
	})
}

func partitions(ctx context.Context, adm *kadm.Client, name string, n int32) error {
	if n == 0 {
		return nil
	}
	if n < 0 {
		topics, err := adm.ListTopics(ctx, name)
		if err != nil {
			return err
		}
		if err := topics.Error(); err != nil {
			return err
		}
		n = int32(len(topics[name].Partitions)) + 1
	}
	answers, err := adm.UpdatePartitions(ctx, int(n), name)
	if err != nil {
		return err
	}
	return answers.Error()
}

func (p *Port) admin(ctx context.Context, do func(context.Context, *kadm.Client) error) error {
	cl, err := p.client()
	if err != nil {
		return err
	}
	defer p.close(ctx, cl)
	ctx, cancel := p.both(ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, 4*p.c.Timings.Request)
	defer stop()
	if err := do(ctx, kadm.NewClient(cl)); err != nil {
		return p.gone(fmt.Errorf("kafka: topics: %w", err))
	}
	return nil
}
