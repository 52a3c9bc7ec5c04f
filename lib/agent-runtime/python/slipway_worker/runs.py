"""One run of a graph: its input, its stream, and how it ends."""

import asyncio
import contextlib
import sys
import uuid
from collections.abc import AsyncIterator
from typing import Any

from langgraph.graph import END
from langgraph.types import Command, Send
from langgraph.version import __version__ as LANGGRAPH

from .attempts import has_answered, has_started
from .auth import AuthUser
from .documents import dumps, text_of
from .events import Translator
from .lost_steps import GraphsInside, NodeNotFound, lost_step
from .project import Project
from .snapshots import config_of, interrupts_of, next_within, state_view
from .stores import FencedError, FencedSaver, Lease, away_in

try:
    from langgraph.errors import GraphDrained
    from langgraph.runtime import RunControl
except ImportError:  # Before langgraph 1.2: a drain is a cancel, and repeats the step in hand.
    GraphDrained = RunControl = None  # type: ignore[assignment,misc]


class Run:
    """A run in hand. `end` is told once, by a frame; nothing is sent after it."""

    def __init__(self, project: Project, pool: Any, store: Any, args: dict[str, Any], channel: Any, call_id: int) -> None:
        self._project, self._pool, self._store = project, pool, store
        self._args, self._channel, self._id = args, channel, call_id
        self._control = RunControl() if RunControl else None
        self._draining = self._begun = self._cancelled = False
        self.task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self._run())

    def cancel(self) -> None:
        # A task that is cancelled before it has begun would end without a word.
        if self.task and self._begun:
            self.task.cancel()
        else:
            self._cancelled = True

    def drain(self) -> None:
        self._draining = True
        if self._control:
            self._control.request_drain("the server stops")
        else:
            print(f"langgraph {LANGGRAPH} cannot stop between two steps: the step in hand is repeated", file=sys.stderr)
            self.cancel()

    def _send(self, event: str, body: bytes = b"", **more: Any) -> None:
        self._channel.send({"id": self._id, "e": event, **more}, body)

    async def _run(self) -> None:
        args = self._args
        lease = Lease(args["run_id"], args["owner"], args["epoch"], args["revision_id"], self.cancel)
        self._begun = True
        try:
            if self._cancelled:
                raise asyncio.CancelledError
            await self._stream(lease)
        except asyncio.CancelledError:
            if not self._lost(lease):
                self._send("__drained__" if self._draining and not self._control else "__cancelled__")
        except BaseException as error:
            if self._lost(lease):
                return
            if GraphDrained and isinstance(error, GraphDrained):
                self._send("__drained__")
            elif away := away_in(error):
                self._send("__away__", dumps(str(away)))
            else:
                self._send("__error__", dumps({"error": type(error).__name__, "message": text_of(error)}))
                if not isinstance(error, NodeNotFound):
                    sys.excepthook(type(error), error, error.__traceback__)

    def _lost(self, lease: Lease) -> bool:
        if lease.lost is None:
            return False
        if isinstance(lease.lost, NodeNotFound):
            self._send("__error__", dumps({"error": "NodeNotFound", "message": str(lease.lost)}))
        else:
            fenced = isinstance(lease.lost, FencedError)
            self._send("__fenced__" if fenced else "__away__", dumps(str(lease.lost)))
        return True

    async def _stream(self, lease: Lease) -> None:
        args, kwargs = self._args, self._args["kwargs"]
        saver = FencedSaver(self._pool, lease, lambda: self._send("__step__"))
        input_, config = await self._start(lease)
        async with self._project.graph(args["graph_id"], config, checkpointer=saver, store=self._store) as graph:
            await self._compare(saver, graph, input_, config)
            self._send("metadata", dumps({"run_id": args["run_id"], "attempt": args["attempt"]}))
            wanted = kwargs.get("stream_mode") or ["values"]
            subgraphs = bool(kwargs.get("subgraphs"))
            translator = Translator(wanted, subgraphs, self._send)
            options: dict[str, Any] = {
                "stream_mode": sorted(translator.modes),
                "subgraphs": subgraphs,
                "durability": kwargs.get("durability") or "sync",
                "interrupt_before": kwargs.get("interrupt_before"),
                "interrupt_after": kwargs.get("interrupt_after"),
            }
            if self._control:
                options["control"] = self._control
            if (schema := getattr(graph, "context_schema", None)) is not None:
                sent = (kwargs.get("config") or {}).get("configurable")
                options["context"] = kwargs.get("context") or _context_in(sent, schema)
            async with contextlib.aclosing(self._chunks(graph, input_, config, options, "events" in wanted)) as chunks:
                async for event, chunk in chunks:
                    translator.take(event, chunk)
                    await self._channel.room()
            if lost := saver.inside.lost():
                raise NodeNotFound(lost, args["revision_id"])
            state = await graph.aget_state(config_of(args["thread_id"]))
            self._end(state, translator.values, await next_within(graph, state))

    async def _compare(self, saver: FencedSaver, graph: Any, input_: Any, config: dict[str, Any]) -> None:
        """Raises NodeNotFound if the run would go on at a node that its graph has not. A new input goes on nowhere."""
        if input_ is not None and not isinstance(input_, Command):
            return
        inside = GraphsInside()
        lost = await lost_step(saver, graph, config, inside)
        for target in _targets(input_):
            if target not in graph.nodes and target != END:
                lost = lost or target
        if lost:
            raise NodeNotFound(lost, self._args["revision_id"])
        # Only now: what was read to compare was read by nobody's graph.
        saver.inside = inside
        config["callbacks"] = [*(config.get("callbacks") or []), inside]

    async def _chunks(
        self, graph: Any, input_: Any, config: Any, options: dict[str, Any], events: bool
    ) -> AsyncIterator[tuple[Any, Any]]:
        """Pairs of an event of LangChain, if those are wanted, and a chunk of the graph's stream."""
        if not events:
            async for chunk in graph.astream(input_, config, **options):
                yield None, chunk
            return
        async for event in graph.astream_events(input_, config, version="v2", **options):
            chunk = event["data"].get("chunk") if event["event"] == "on_chain_stream" else None
            of_graph = isinstance(chunk, tuple) and str(event["run_id"]) == self._args["run_id"]
            # The graph's own chunks are told by its stream modes.
            yield (None, chunk) if of_graph else (event, None)

    def _end(self, state: Any, values: Any, following: list[str]) -> None:
        pinned = bool(state.next)
        if state.interrupts and isinstance(values, dict):
            # All that ask, and what is in the thread's state: nodes that ended beside them are not in it yet.
            kept = {name: state.values[name] for name in values if name in state.values}
            values = {**kept, "__interrupt__": state.interrupts}
        parts = [
            dumps(state.values),
            dumps(interrupts_of(state)),
            dumps(state.values if values is None else values),
            dumps(state_view(state)) if pinned else b"",
        ]
        self._send("__end__", b"".join(parts), next=following, parts=[len(part) for part in parts])

    async def _start(self, lease: Lease) -> tuple[Any, dict[str, Any]]:
        """What the graph is started with. A later attempt goes on from its own checkpoints: input counts once."""
        args, kwargs = self._args, self._args["kwargs"]
        config = self._config(kwargs.get("config") or {})
        command = kwargs.get("command")
        begun = args["attempt"] > 1 and await has_started(self._pool, args["thread_id"], args["run_id"])
        if not begun and (command or kwargs.get("input") is None):
            named = config["configurable"].get("checkpoint_id")
            answered = await has_answered(self._pool, args["thread_id"], args["run_id"], named, lease)
            begun = answered and bool(command) and command.get("resume") is not None
        if begun:
            config["configurable"].pop("checkpoint_id", None)
            return None, config
        return command_of(command) if command else kwargs.get("input"), config

    def _config(self, sent: dict[str, Any]) -> dict[str, Any]:
        args = self._args
        ids = {name: args[name] for name in ("run_id", "thread_id", "graph_id", "assistant_id")}
        # Graphs that know no context yet find it where they look.
        context = args["kwargs"].get("context") or {}
        configurable = {**context, **(sent.get("configurable") or {}), **ids}
        if user := configurable.get("langgraph_auth_user"):
            configurable["langgraph_auth_user"] = AuthUser(user)
        metadata = {
            **(sent.get("metadata") or {}),
            **(args.get("metadata") or {}),
            **ids,
            "run_attempt": args["attempt"],
            "langgraph_version": LANGGRAPH,
            "langgraph_host": "slipway",
            "revision_id": args["revision_id"],
        }
        named = {"run_name": args["graph_id"], **sent, "run_id": uuid.UUID(args["run_id"])}
        return {**named, "configurable": configurable, "metadata": metadata}


def _targets(given: Any) -> list[str]:
    """The nodes that a command names to go to."""
    goto = given.goto if isinstance(given, Command) else ()
    named = goto if isinstance(goto, (list, tuple)) else [goto]
    return [one.node if isinstance(one, Send) else one for one in named]


def _context_in(configurable: Any, schema: Any) -> dict[str, Any]:
    """What a client has sent in the way that was there before contexts."""
    names = getattr(schema, "__dataclass_fields__", None) or getattr(schema, "model_fields", None)
    known = names or getattr(schema, "__annotations__", {})
    return {name: value for name, value in (configurable or {}).items() if name in known}


def command_of(sent: dict[str, Any]) -> Command[Any]:
    fields = {name: sent[name] for name in ("update", "resume") if sent.get(name) is not None}
    if isinstance(update := fields.get("update"), list):
        fields["update"] = [tuple(one) if isinstance(one, list) else one for one in update]
    if goto := sent.get("goto"):
        targets = goto if isinstance(goto, list) else [goto]
        fields["goto"] = [Send(one["node"], one.get("input")) if isinstance(one, dict) else one for one in targets]
    return Command(**fields)
