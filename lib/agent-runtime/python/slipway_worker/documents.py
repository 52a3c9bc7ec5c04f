"""Values of users as JSON and back, without changing numbers or text on the way."""

import dataclasses
import datetime
import decimal
import enum
import json
import math
import uuid
from typing import Any

import orjson
from langchain_core.messages import messages_from_dict

_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY


def plain(value: Any) -> Any:
    """What JSON can hold of a value that has no form of its own there."""
    if hasattr(value, "model_dump") and callable(value.model_dump) and not isinstance(value, type):
        return value.model_dump()
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, BaseException):
        return {"error": type(value).__name__, "message": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if hasattr(value, "dict") and callable(value.dict) and not isinstance(value, type):
        return value.dict()
    return str(value)


def dumps(value: Any) -> bytes:
    """JSON of any value. Integers of any size are written exactly, and half a surrogate pair as its escape."""
    try:
        return orjson.dumps(value, default=plain, option=_OPTIONS)
    except (TypeError, RecursionError):
        return json.dumps(_tree(value), separators=(",", ":")).encode()


def text_of(error: BaseException) -> str:
    """What an error says of itself, which may be an error of its own."""
    try:
        return str(error)
    except Exception:
        return ""


def loads(text: bytes) -> Any:
    """A value from JSON. Integers of any size stay exact, which orjson would make floating."""
    return json.loads(text) if text else None


#: What every message has in the form in which servers show it.
_OF_MESSAGES = {"content", "additional_kwargs", "response_metadata", "type"}


def with_messages(value: Any) -> Any:
    """Makes messages again of what servers show of them; LangChain would take some of their fields for unknown ones."""
    if isinstance(value, list):
        return [with_messages(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() >= _OF_MESSAGES:
        try:
            return messages_from_dict([{"type": value["type"], "data": value}])[0]
        except Exception:
            return value
    return {name: with_messages(item) for name, item in value.items()}


def _tree(value: Any) -> Any:
    """The same value of dict, list, str, int, float, bool and None alone."""
    if value is None or isinstance(value, (bool, str)) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, enum.Enum):
        return _tree(value.value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_key(key): _tree(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
        return [_tree(item) for item in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {field.name: _tree(getattr(value, field.name)) for field in fields}
    return _tree(plain(value))


def _key(key: Any) -> str:
    if isinstance(key, str) and not isinstance(key, enum.Enum):
        return key
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    tree = _tree(key)
    return tree if isinstance(tree, str) else json.dumps(tree)
