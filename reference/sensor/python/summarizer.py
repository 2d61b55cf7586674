"""Folds readings into hourly summaries: one store transaction, then publish, then commit, each safe to be done twice."""

import os
import time
import uuid
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

import events
import service

GRACE, SILENCE, WINDOW = 5 * 60, 2 * 60, 7 * 24 * 3600  # seconds
CLAIM = 10  # seconds for which a member keeps others from publishing the same hour
NAMES = uuid.UUID("6f1c9a52-0b0e-5f0e-9d0a-3d2f5b7c1e44")
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
SCHEMA = """
CREATE TABLE IF NOT EXISTS seen (event_id TEXT PRIMARY KEY, device TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS devices (device TEXT PRIMARY KEY, newest REAL NOT NULL, heard REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS poison (part INTEGER, place INTEGER, why TEXT, PRIMARY KEY (part, place)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hours (
    device TEXT, hour TEXT, ends REAL NOT NULL, count INTEGER NOT NULL, low TEXT NOT NULL, high TEXT NOT NULL, total TEXT NOT NULL,
    published INTEGER NOT NULL DEFAULT 0,  -- the count that the last record in the topic has
    place INTEGER NOT NULL DEFAULT -1,     -- the offset of that record
    claimed REAL NOT NULL DEFAULT 0,       -- until when a member publishes it
    PRIMARY KEY (device, hour)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS open ON hours (ends) WHERE published <> count;
"""
DUE = """
SELECT device, hour, count, low, high, total FROM hours JOIN devices USING (device)
WHERE published <> count AND claimed < :now AND (newest >= ends + :grace OR heard <= :now - :silence)
"""


class Summarizer:
    def __init__(self):
        self.db = service.store("summaries.db", SCHEMA)
        self.producer = Producer(service.PRODUCER)
        self.consumer = Consumer(service.CONSUMER | {"group.id": os.environ["GROUP"]})
        self.handled = {}  # partition -> offset to commit
        self.taken = 0

    def run(self):
        forget = lambda _, gone: [self.handled.pop(p.partition, None) for p in gone]
        self.consumer.subscribe([service.EVENTS], on_revoke=forget, on_lost=forget)
        while not service.stopping.is_set():
            batch = self.consumer.consume(500, timeout=0.1)
            due = self.retried(self.store, [m for m in batch if not m.error()])
            if self.publish(due):
                self.commit()
        self.consumer.close()

    def retried(self, step, *args):
        """A store that fails for a while holds the work up and loses nothing."""
        while True:
            try:
                self.db.execute("BEGIN IMMEDIATE")
                result = step(*args)
                self.db.execute("COMMIT")
                return result
            except service.sqlite3.Error as err:
                print(f"summarizer: the store: {err}", flush=True)
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                time.sleep(0.1)

    def store(self, batch):
        """Takes a batch in and claims the hours that are due."""
        now = time.time()
        for message in batch:
            try:
                self.take(events.parse(message.value() or b""), now)
            except events.Invalid as err:
                self.db.execute("INSERT OR IGNORE INTO poison VALUES (?, ?, ?)", (message.partition(), message.offset(), str(err)))
            self.handled[message.partition()] = message.offset() + 1
        due = self.db.execute(DUE, {"now": now, "grace": GRACE, "silence": SILENCE}).fetchall()
        self.db.executemany("UPDATE hours SET claimed = ? WHERE device = ? AND hour = ?", [(now + CLAIM, d[0], d[1]) for d in due])
        self.taken += len(batch)
        if self.taken > 10_000:
            self.taken = 0
            self.db.execute("DELETE FROM seen WHERE at < (SELECT newest FROM devices d WHERE d.device = seen.device) - ?", (WINDOW,))
        return due

    def take(self, event, now):
        device, at = event["data"]["id_perangkat"], events.moment(event["occurred_at"])
        if not self.db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", (event["event_id"], device, at)).rowcount:
            return
        self.db.execute("INSERT INTO devices VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest), "
                        "heard = excluded.heard", (device, at, now))
        hour, celsius = events.hour(at), Decimal(event["data"]["suhu_c"])
        row = self.db.execute("SELECT count, low, high, total FROM hours WHERE device = ? AND hour = ?", (device, hour)).fetchone()
        count, low, high, total = row or (0, celsius, celsius, 0)
        self.db.execute("INSERT INTO hours (device, hour, ends, count, low, high, total) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO "
                        "UPDATE SET count = excluded.count, low = excluded.low, high = excluded.high, total = excluded.total, claimed = 0",
                        (device, hour, events.moment(hour) + 3600, count + 1, plain(min(Decimal(low), celsius)),
                         plain(max(Decimal(high), celsius)), plain(EXACT.add(Decimal(total), celsius))))

    def publish(self, due):
        """Sends summaries and waits for the broker; says whether all of them are in the topic."""
        acked = []
        for device, hour, count, low, high, total in due:
            note = lambda err, sent, row=(device, hour, count): err or acked.append((row[2], sent.offset(), *row[:2], sent.offset()))
            self.producer.produce(service.SUMMARIES, key=device, value=summary(device, hour, count, low, high, total), on_delivery=note)
        if due:
            while self.producer.flush(1) and not service.stopping.is_set():
                pass
            self.retried(self.mark, acked)
        if len(acked) < len(due):
            print(f"summarizer: {len(due) - len(acked)} summaries have no answer", flush=True)
            self.producer = Producer(service.PRODUCER)
        return len(acked) == len(due)

    def mark(self, acked):
        """The record with the highest offset is the last one: if an older count stands there, the hour is published again."""
        self.db.executemany("UPDATE hours SET published = ?, place = ?, claimed = 0 WHERE device = ? AND hour = ? AND place < ?", acked)

    def commit(self):
        if not self.handled:
            return
        offsets = [TopicPartition(service.EVENTS, partition, offset) for partition, offset in self.handled.items()]
        try:
            self.consumer.commit(offsets=offsets, asynchronous=False)
            self.handled.clear()
        except KafkaException as err:  # kept for the next round, unless the partition goes to another member
            print(f"summarizer: commit: {err}", flush=True)


def summary(device, hour, count, low, high, total):
    """The same set of events gives the same bytes."""
    mean = round(Fraction(Decimal(total)) / count, 2)
    mean = plain(Decimal(mean.numerator) / Decimal(mean.denominator))
    closed = events.hour(events.moment(hour) + 3600)
    return (f'{{"event_id":"{uuid.uuid5(NAMES, device + "/" + hour)}","event_type":"sensor.suhu.dirangkum","occurred_at":"{closed}",'
            f'"data":{{"id_perangkat":"{device}","jam":"{hour}","jumlah":{count},"suhu_min":{low},"suhu_maks":{high},"suhu_rata":{mean}}}}}')


def plain(number):
    """One spelling for each number: 24.50 and 24.5 are alike."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


if __name__ == "__main__":
    service.until_stopped()
    Summarizer().run()
