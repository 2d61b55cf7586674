"""A recorder stub of an outsider: Python 3, standard library alone, no Kafka. It keeps what it recorded in STATE."""
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEPT = os.path.join(os.environ["STATE"], "recorded.jsonl")


def wrong_fields(event):
    wrong = []
    if not re.fullmatch(r"P-[0-9]{10}", str(event.get("kode", ""))):
        wrong.append({"name": "kode", "why": "no code of an order"})
    data = event.get("isi") if isinstance(event.get("isi"), dict) else {}
    if not isinstance(data.get("barang"), int) or isinstance(data.get("barang"), bool):
        wrong.append({"name": "isi.barang", "why": "no whole number"})
    return wrong


class Recorder(BaseHTTPRequestHandler):
    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(200, {"topic": os.environ["TOPIC"], "via": os.environ["KAFKA"]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = json.loads(body)
        except ValueError:
            return self.answer(400, {"errors": [{"name": ""}]})
        wrong = wrong_fields(event)
        if wrong:
            return self.answer(422, {"errors": wrong})
        with open(KEPT, "ab") as kept:
            kept.write(body + b"\n")
        self.answer(202, {"kept": {"kode": event["kode"]}})


print("recorder of", os.environ["TOPIC"], "listens on", os.environ["PORT"], flush=True)
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Recorder).serve_forever()
