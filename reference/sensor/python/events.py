"""Readings as the document fixes them: what is valid, and what is wrong with what is not."""

import json
import re
from datetime import UTC, datetime
from decimal import Decimal

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DEVICE = re.compile(r"sensor-[0-9]{2}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)


class Invalid(ValueError):
    """The fields of a record that break its schema, as JSON Pointers, each with the reason."""

    def __init__(self, errors):
        super().__init__("; ".join(f"{field or 'record'}: {why}" for field, why in errors))
        self.errors = errors


def parse(raw):
    """Reads a record strictly: names occur once, numbers stay exact, NaN and Infinity are no numbers."""
    try:
        record = json.loads(raw, parse_float=Decimal, parse_constant=_constant, object_pairs_hook=_unique)
    except (ValueError, ArithmeticError, RecursionError) as err:
        raise Invalid([("", str(err))]) from err
    errors = list(_wrong(record))
    if errors:
        raise Invalid(errors)
    return record


def moment(text):
    """Seconds since 1970, exact to the microsecond, which is all that a window needs."""
    return datetime.fromisoformat(text).timestamp()


def hour(seconds):
    """The hour that a moment lies in, as the document writes it."""
    return datetime.fromtimestamp(seconds // 3600 * 3600, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _constant(name):
    raise ValueError(f"{name} is no number")


def _unique(pairs):
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return record


def _wrong(record):
    if not isinstance(record, dict):
        yield "", "no object"
        return
    yield from _text(record, "event_id", ID.fullmatch)
    yield from _text(record, "event_type", "sensor.suhu.terbaca".__eq__)
    yield from _text(record, "occurred_at", _is_time)
    data = record.get("data")
    if not isinstance(data, dict):
        yield "/data", "no object"
        return
    for field, why in _text(data, "id_perangkat", DEVICE.fullmatch):
        yield "/data" + field, why
    floor = _number(data.get("lantai"))
    if floor is None or floor != floor.to_integral_value() or not 1 <= floor <= 10:
        yield "/data/lantai", "no integer from 1 to 10"
    celsius = _number(data.get("suhu_c"))
    if celsius is None or not -40 <= celsius <= 60:
        yield "/data/suhu_c", "no number from -40 to 60"


def _text(record, name, holds):
    value = record.get(name)
    if not isinstance(value, str) or not holds(value):
        yield "/" + name, "missing" if value is None else "not as the schema asks"


def _number(value):
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return Decimal(value)


def _is_time(text):
    if not TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
