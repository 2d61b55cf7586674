"""Takes readings over HTTP, keeps them in an outbox that survives a crash, and sends them to the topic until it has them."""

import sqlite3
import threading

from confluent_kafka import KafkaException, Producer

import events
import service

ANSWER_WITHIN = 1.0  # seconds to wait for the broker; the outbox is durable, so "recorded" is true without its answer
SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT UNIQUE NOT NULL, device TEXT NOT NULL, record BLOB NOT NULL,
    part INTEGER, place INTEGER);
CREATE INDEX IF NOT EXISTS unsent ON outbox (number) WHERE place IS NULL;
"""


class Recorder:
    def __init__(self):
        self.db = service.store("outbox.db", SCHEMA)
        self.lock = threading.Condition()  # guards the store and what has been handed to the producer
        self.handed = 0  # number of the last record that the producer has

    def accept(self, body):
        try:
            record = events.parse(body)
        except events.Invalid as err:
            return 422, {"errors": [{"field": field, "why": why} for field, why in err.errors]}
        event_id = record["event_id"]
        try:
            with self.lock:
                self.db.execute("INSERT INTO outbox (event_id, device, record) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                                (event_id, record["data"]["id_perangkat"], body))
                self.lock.notify_all()
                self.lock.wait_for(lambda: self.position(event_id), ANSWER_WITHIN)
                position = self.position(event_id)
        except sqlite3.Error as err:
            return 503, {"error": str(err)}
        answer = {"event_id": event_id}
        if position:
            answer |= {"partition": position[0], "offset": position[1]}
        return 201, answer

    def position(self, event_id):
        query = "SELECT part, place FROM outbox WHERE event_id = ? AND place IS NOT NULL"
        return self.db.execute(query, (event_id,)).fetchone()

    def run(self):
        while not service.stopping.is_set():
            self.handed = 0
            producer = Producer(service.PRODUCER | {"message.timeout.ms": 0})
            try:
                self.send(producer)
            except KafkaException as err:  # fatal: this producer's order is lost; a new one sends again what is not acknowledged
                print(f"recorder: a new producer: {err}", flush=True)
                producer.purge()
            producer.flush(5)

    def send(self, producer):
        while not service.stopping.is_set():
            with self.lock:
                self.lock.wait_for(self.unsent, 0.05)
                rows = self.unsent()
            for number, device, record in rows:
                producer.produce(service.EVENTS, key=device, value=record,
                                 on_delivery=lambda err, sent, number=number: self.sent(number, err, sent))
                self.handed = number
            producer.poll(0.005 if rows else 0)

    def unsent(self):
        query = "SELECT number, device, record FROM outbox WHERE place IS NULL AND number > ? ORDER BY number LIMIT 1000"
        return self.db.execute(query, (self.handed,)).fetchall()

    def sent(self, number, err, record):
        if err:
            raise KafkaException(err)
        with self.lock:
            self.db.execute("UPDATE outbox SET part = ?, place = ? WHERE number = ?", (record.partition(), record.offset(), number))
            self.lock.notify_all()


if __name__ == "__main__":
    service.until_stopped()
    recorder = Recorder()
    service.serve({("GET", "/healthz"): lambda _: (200, {}), ("POST", "/events"): recorder.accept})
    recorder.run()
