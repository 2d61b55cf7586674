"""What the three roles share: settings, a signal to stop, a store, and a small HTTP server."""

import json
import os
import signal
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BOOTSTRAP = os.environ["BOOTSTRAP"]
EVENTS = os.environ.get("EVENTS", "m8-suhu-kejadian")
SUMMARIES = os.environ.get("SUMMARIES", "m8-suhu-rangkuman")
STATE = os.environ.get("STATE", ".")
CLIENT = {"bootstrap.servers": BOOTSTRAP, "reconnect.backoff.max.ms": 1000}
PRODUCER = CLIENT | {"enable.idempotence": True, "acks": "all", "linger.ms": 5}
CONSUMER = CLIENT | {"enable.auto.commit": False, "auto.offset.reset": "earliest", "session.timeout.ms": 6000,
                     "heartbeat.interval.ms": 500, "topic.metadata.refresh.interval.ms": 10000}

stopping = threading.Event()


def until_stopped():
    """SIGTERM and SIGINT ask the role to end."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())


def store(name, schema):
    """A SQLite file that instances share; what is committed survives a crash."""
    db = sqlite3.connect(os.path.join(STATE, name), timeout=10, isolation_level=None, check_same_thread=False)
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.executescript(schema)
            return db
        except sqlite3.OperationalError as err:  # instances that start at once meet while the file is made
            print(f"{name}: tried again: {err}", flush=True)
            time.sleep(0.05)


def serve(routes):
    """Serves {(method, path): function(body) -> (status, object or HTML)} on PORT until the process ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            route = routes.get((self.command, self.path))
            status, answer = route(body) if route else (404, {"error": "no such page"})
            html = isinstance(answer, str)
            text = (answer if html else json.dumps(answer, default=str)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8" if html else "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    server = Server(("127.0.0.1", int(os.environ["PORT"])), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
