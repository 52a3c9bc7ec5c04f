"""
What a thread would lose in a graph that lacks nodes of the one that left it: LangGraph passes over such a node in
silence, and ends the run as a success. Told by the checkpoints themselves, of which the graph knows only its own.
"""

from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler
from langgraph.types import Send

_NODE, _JOIN, _SENDS, _SAVER = "branch:to:", "join:", "__pregel_tasks", "__pregel_checkpointer"


class NodeNotFound(Exception):
    """The thread goes on at a node that the graph has not."""

    def __init__(self, node: str, revision_id: str) -> None:
        super().__init__(
            f"The thread goes on at node '{node}', which revision {revision_id} has not."
            " Deploy a revision that has it, or start anew with an input."
        )


class GraphsInside(AsyncCallbackHandler):
    """
    Graphs that a node calls by itself, which nobody can compare before: each is seen to go on, or has lost its step.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, list[str]] = {}
        self._loaded: set[str] = set()
        self._begun: set[str] = set()

    def expect(self, namespace: str, nodes: list[str]) -> None:
        if nodes:
            self._waiting[namespace] = nodes

    def note_loaded(self, namespace: str) -> None:
        self._loaded.add(namespace)

    def note_begun(self, namespace: str) -> None:
        self._begun.add(namespace)

    async def on_chain_start(self, *args: Any, metadata: dict[str, Any] | None = None, **more: Any) -> None:
        """A node of some graph begins."""
        namespace = str((metadata or {}).get("langgraph_checkpoint_ns") or "")
        self._begun.add(namespace.rpartition("|")[0])

    def lost(self, task_id: str | None = None) -> str | None:
        """
        A node that a graph inside was to go on at; its parent has called it, and it has begun nothing. Only of a task
        that has ended, if one is named.
        """
        for namespace, nodes in self._waiting.items():
            is_over = task_id is None or f":{task_id}" in namespace
            if is_over and namespace in self._loaded and namespace not in self._begun:
                return ":".join([*_names(namespace), nodes[0]])
        return None


async def lost_step(saver: Any, graph: Any, config: dict[str, Any], inside: GraphsInside) -> str | None:
    """The node at which the checkpoint of a config goes on and that the graph has not; of a graph inside with its path."""
    compared: set[str] = set()
    below: set[str] = set()
    lost = await _lost(saver, graph, config, compared, below)
    if lost is None and below:
        for namespace in await saver.namespaces_in(config, below):
            if namespace in compared:
                continue
            saved = await saver.aget_tuple(_within(config, namespace))
            inside.expect(namespace, _waiting(saved.checkpoint) if saved else [])
    return lost


async def _lost(
    saver: Any, graph: Any, config: dict[str, Any], compared: set[str], below: set[str]
) -> str | None:
    """Notes what it has compared, and the namespaces of the tasks that wait."""
    namespace = config["configurable"].get("checkpoint_ns", "")
    compared.add(namespace)
    saved = await saver.aget_tuple(config)
    if saved is None:
        return None
    written = [] if await _is_past(saver, config, saved) else saved.pending_writes or []
    if lost := _unknown(saved.checkpoint, written, graph):
        return lost
    state = await graph.aget_state({"configurable": {**config["configurable"], _SAVER: saver}})
    if state.next and (lost := _unknown_joins(saved.checkpoint, graph)):
        return lost
    known = {name: one async for name, one in graph.aget_subgraphs()} if state.next else {}
    for task in state.tasks:
        if task.name not in state.next:
            continue
        before = f"{namespace}|" if namespace else ""
        # A graph inside that keeps its state from call to call has a namespace without the task.
        for inside in (f"{before}{task.name}:{task.id}", "|".join([*_names(namespace), task.name])):
            below.add(inside)
            if task.name not in known:
                continue
            if lost := await _lost(saver, known[task.name], _within(config, inside), compared, below):
                return f"{task.name}:{lost}"
    return None


def _within(config: dict[str, Any], namespace: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": config["configurable"]["thread_id"], "checkpoint_ns": namespace}}


def _names(namespace: str) -> list[str]:
    """`a` and `b` of `a:id|b:id`. The second graph that one node calls has its number there."""
    return [part.partition(":")[0] for part in namespace.split("|") if part and not part.isdigit()]


async def _is_past(saver: Any, config: dict[str, Any], saved: Any) -> bool:
    """Whether the thread has gone on from a checkpoint that a config names: then its nodes run anew."""
    configurable = config["configurable"]
    if not configurable.get("checkpoint_id"):
        return False
    newest = await saver.aget_tuple(_within(config, configurable.get("checkpoint_ns", "")))
    return bool(newest.checkpoint["id"] != saved.checkpoint["id"])


def _unknown(checkpoint: Any, written: Any, graph: Any) -> str | None:
    for node in _waiting(checkpoint):
        if node not in graph.nodes:
            return node
    # What a node has told others already, while one beside it still waits.
    for _, channel, value in written:
        if isinstance(value, Send) and value.node not in graph.nodes:
            return value.node
        if channel.startswith((_NODE, _JOIN)) and channel not in graph.channels:
            return str(channel.rpartition(":")[2])
    return None


def _unknown_joins(checkpoint: Any, graph: Any) -> str | None:
    """A node that waits for several: what some of them have told it already is lost where it waits for others."""
    for channel, value in checkpoint["channel_values"].items():
        told = value[0] if isinstance(value, tuple) and value else value
        if channel.startswith(_JOIN) and told and channel not in graph.channels:
            return str(channel.rpartition(":")[2])
    return None


def _waiting(checkpoint: Any) -> list[str]:
    """The nodes that a checkpoint goes on at, as far as it tells: those of edges, and those of `Send`."""
    values, versions, seen = checkpoint["channel_values"], checkpoint["channel_versions"], checkpoint["versions_seen"]
    found = []
    for channel in values:
        if channel.startswith(_NODE):
            node = channel.removeprefix(_NODE)
            before = seen.get(node, {}).get(channel)
            if before is None or (channel in versions and versions[channel] > before):
                found.append(node)
    return found + [one.node for one in values.get(_SENDS) or [] if isinstance(one, Send)]
