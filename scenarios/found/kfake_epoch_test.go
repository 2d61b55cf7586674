package found_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// FOUND.md 1: after two leader moves with no Produce between them, kfake answers OffsetForLeaderEpoch for the epoch of the
// last record with the undefined offset -1. Apache Kafka answers with the log end (KIP-101: the end of an epoch is the start of
// the next one). A client takes -1 for lost data and reads the partition again from the start.
func TestKfakeForgetsTheEndOfAnEpochAfterTwoLeaderMoves(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("t"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(ctx, kgo.StringRecord("a"), kgo.StringRecord("b")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	wrote := cluster.PartitionInfo("t", 0).Epoch
	for range 2 {
		next := (cluster.LeaderFor("t", 0) + 1) % 3
		if err := cluster.MoveTopicPartition("t", 0, next); err != nil {
			t.Fatal(err)
		}
	}
	req := kmsg.NewPtrOffsetForLeaderEpochRequest()
	req.ReplicaID = -1
	topic := kmsg.NewOffsetForLeaderEpochRequestTopic()
	topic.Topic = "t"
	part := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
	part.CurrentLeaderEpoch, part.LeaderEpoch = -1, wrote
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, client.Broker(int(cluster.LeaderFor("t", 0))))
	if err != nil {
		t.Fatal(err)
	}
	got := resp.Topics[0].Partitions[0]
	if got.EndOffset == 2 {
		t.Fatalf("epoch %d ends at %d: this release has the fix; take the entry out of FOUND.md", wrote, got.EndOffset)
	}
	if got.EndOffset != -1 {
		t.Fatalf("epoch %d ends at %d; the bug answers -1 and Apache Kafka 2", wrote, got.EndOffset)
	}
}
