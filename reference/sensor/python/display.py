"""Shows the last summary of each device and hour. The table is rebuilt from the topic at each start."""

import html
import json
import os
import threading

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition

import service

COLUMNS = ("id_perangkat", "jam", "jumlah", "suhu_min", "suhu_maks", "suhu_rata")


class Display:
    def __init__(self):
        self.consumer = Consumer(service.CONSUMER | {"group.id": os.environ["GROUP"]})
        self.lock = threading.Lock()
        self.shown = {}  # (device, hour) -> data of the last record
        self.read, self.committed = {}, {}  # by partition: the next offset to read, the committed offset

    def run(self):
        self.consumer.subscribe([service.SUMMARIES], on_assign=self.rewind)
        while not service.stopping.is_set():
            for message in self.consumer.consume(500, timeout=0.1):
                if message.error():
                    continue
                self.show(message.value())
                self.read[message.partition()] = message.offset() + 1
            try:
                self.commit()
            except KafkaException as err:  # tried again after the next poll
                print(f"display: commit: {err}", flush=True)
        self.consumer.close()

    def rewind(self, consumer, partitions):
        self.read, self.committed = {}, {}
        for p in partitions:
            p.offset = OFFSET_BEGINNING
        consumer.assign(partitions)

    def show(self, value):
        try:
            data = json.loads(value, parse_float=Literal)["data"]
            key = data["id_perangkat"], data["jam"]
        except (ValueError, TypeError, KeyError) as err:
            print(f"display: no summary: {err!r}", flush=True)
            return
        with self.lock:
            self.shown[key] = data

    def commit(self):
        """While the table is rebuilt, nothing is committed: the group never goes back."""
        new = [TopicPartition(service.SUMMARIES, p) for p in self.read if p not in self.committed]
        for p in self.consumer.committed(new, timeout=10) if new else []:
            self.committed[p.partition] = p.offset
        due = {p: offset for p, offset in self.read.items() if offset > self.committed[p]}
        if due:
            self.consumer.commit(offsets=[TopicPartition(service.SUMMARIES, p, o) for p, o in due.items()], asynchronous=False)
            self.committed |= due

    def rows(self, _):
        with self.lock:
            return 200, {"rows": [self.shown[key] for key in sorted(self.shown)]}

    def page(self, _):
        cells = lambda values, tag: "".join(f"<{tag}>{html.escape(str(v))}</{tag}>" for v in values)
        rows = "".join(f"<tr>{cells((row.get(c, '') for c in COLUMNS), 'td')}</tr>" for row in self.rows(None)[1]["rows"])
        return 200, (f'<!doctype html><html lang="id"><meta http-equiv="refresh" content="2"><title>Suhu</title>'
                     f"<table><tr>{cells(COLUMNS, 'th')}</tr>{rows}</table></html>")


class Literal(float):
    """A number that is shown as it was written."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self):
        return self.text


if __name__ == "__main__":
    service.until_stopped()
    display = Display()
    service.serve({("GET", "/healthz"): lambda _: (200, {}), ("GET", "/rows"): display.rows, ("GET", "/"): display.page})
    display.run()
