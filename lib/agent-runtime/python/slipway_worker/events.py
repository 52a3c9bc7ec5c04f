"""Chunks of a graph's stream as the events that clients know."""

from collections.abc import Callable
from typing import Any

from langchain_core.messages import BaseMessageChunk, message_chunk_to_message

from .documents import dumps
from .snapshots import checkpoint_payload


class Translator:
    """Sends what a run's stream modes ask for. `values` are the newest of the root graph, or None."""

    def __init__(self, wanted: list[str], subgraphs: bool, send: Callable[[str, bytes], None]) -> None:
        self._wanted, self._subgraphs, self._send = set(wanted), subgraphs, send
        self._messages: dict[Any, Any] = {}
        graph_modes = self._wanted - {"events", "messages-tuple"}
        if "messages-tuple" in self._wanted:
            graph_modes.add("messages")
        #: The modes to ask the graph for. The values are always needed: they are what `runs.wait` answers.
        self.modes = graph_modes | {"values"}
        self.values: Any = None

    def take(self, event: Any, chunk: Any) -> None:
        if event is not None:
            self._send("events", dumps(event))
        if chunk is None:
            return
        namespace, mode, data = chunk if self._subgraphs else ((), *chunk)
        if mode == "values" and not namespace:
            self.values = data
        if mode == "messages":
            self._message(namespace, data)
        elif mode in self._wanted:
            if mode == "debug" and data.get("type") == "checkpoint":
                data = {**data, "payload": checkpoint_payload(data["payload"])}
            self._send(self._name(mode, namespace), dumps(data))

    def _name(self, mode: str, namespace: Any) -> str:
        return "|".join([mode, *namespace])

    def _message(self, namespace: Any, data: Any) -> None:
        if "messages-tuple" in self._wanted:
            self._send(self._name("messages", namespace), dumps(data))
        if "messages" not in self._wanted:
            return
        message, metadata = data
        if not isinstance(message, BaseMessageChunk):
            self._send("messages/complete", dumps([message]))
            return
        before = self._messages.get(message.id)
        if before is None:
            self._send("messages/metadata", dumps({message.id: {"metadata": metadata}}))
        self._messages[message.id] = whole = message if before is None else before + message
        if message.content or getattr(message, "tool_call_chunks", None):
            self._send("messages/partial", dumps([message_chunk_to_message(whole)]))
