"""`python -m slipway_worker <langgraph.json>`, with a socket to the server as file descriptor 3."""

import asyncio
import os
import signal
import sys
import traceback
from typing import Any

from langgraph.errors import InvalidUpdateError
from langgraph.types import StateUpdate
from langgraph.version import __version__ as LANGGRAPH

from . import PROTOCOL
from .attempts import drop
from .auth import Authorizer, RefusedError
from .channel import Channel
from .documents import dumps, loads, text_of, with_messages
from .project import Project, ProjectError, described
from .runs import Run, RunControl, command_of
from .snapshots import (
    checkpoint_of,
    config_of,
    graph_view,
    interrupts_of,
    next_within,
    schemas_view,
    state_view,
)
from .stores import FencedSaver, away_in, copy, opened, unfit_in


class Worker:
    def __init__(self, project: Project, pool: Any, store: Any, channel: Channel, auth: Authorizer | None) -> None:
        self._project, self._pool, self._store, self._channel, self._auth = project, pool, store, channel, auth
        self._saver = FencedSaver(pool)
        self._runs: dict[int, Run] = {}
        self._calls: set[asyncio.Task[None]] = set()

    def take(self, header: dict[str, Any], body: bytes) -> None:
        """A frame of the server."""
        call_id, op = header["id"], header["op"]
        if op == "ping":
            self._channel.send({"id": call_id, "e": "__ok__"})
        elif op in ("cancel", "drain"):
            if run := self._runs.get(call_id):
                run.cancel() if op == "cancel" else run.drain()
        elif op == "stream":
            try:
                args = loads(body)
            except Exception as error:  # A document may be nested deeper than Python reads.
                failure = {"error": type(error).__name__, "message": f"The run cannot be read: {text_of(error)}"}
                self._channel.send({"id": call_id, "e": "__error__"}, dumps(failure))
                return
            run = Run(self._project, self._pool, self._store, args, self._channel, call_id)
            run.start()
            if run.task:
                self._runs[call_id] = run
                run.task.add_done_callback(lambda _: self._runs.pop(call_id, None))
        else:
            task = asyncio.get_running_loop().create_task(self._answer(call_id, op, body))
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)

    async def _answer(self, call_id: int, op: str, body: bytes) -> None:
        try:
            answer = dumps(await getattr(self, f"op_{op}")(**(loads(body) or {})))
            self._channel.send({"id": call_id, "e": "__ok__"}, answer)
        except Exception as error:
            failure: dict[str, Any] = {"error": type(error).__name__, "message": text_of(error)}
            if isinstance(error, RefusedError):
                failure |= {"status": error.status, "headers": error.headers}
            elif isinstance(error, InvalidUpdateError):
                failure["status"] = 400
            elif away_in(error):
                failure["status"] = 503
            elif unfit_in(error):
                failure = {"error": "DataError", "message": "PostgreSQL cannot hold a value of it", "status": 422}
            else:
                traceback.print_exc()
            self._channel.send({"id": call_id, "e": "__error__"}, dumps(failure))

    def _graph(self, graph_id: str, config: dict[str, Any] | None = None) -> Any:
        known = config or {"configurable": {}}
        return self._project.graph(graph_id, known, checkpointer=self._saver, store=self._store)

    async def op_state(
        self, graph_id: str, thread_id: str, checkpoint: Any = None, subgraphs: bool = False, config: Any = None
    ) -> Any:
        named = config_of(thread_id, checkpoint, (config or {}).get("configurable"))
        async with self._graph(graph_id, named) as graph:
            return state_view(await graph.aget_state(named, subgraphs=subgraphs))

    async def op_snapshot(self, graph_id: str, thread_id: str) -> Any:
        async with self._graph(graph_id) as graph:
            state = await graph.aget_state(config_of(thread_id))
            interrupts = interrupts_of(state)
            following = await next_within(graph, state)
            return {"values": state.values, "next": following, "interrupts": interrupts, "state": state_view(state)}

    async def op_history(
        self,
        graph_id: str,
        thread_id: str,
        limit: int = 10,
        before: Any = None,
        metadata: Any = None,
        checkpoint: Any = None,
    ) -> Any:
        named = config_of(thread_id, checkpoint)
        earlier = config_of(thread_id, before) if before else None
        async with self._graph(graph_id) as graph:
            history = graph.aget_state_history(named, limit=limit, before=earlier, filter=metadata)
            return [state_view(state) async for state in history]

    async def op_update(
        self, graph_id: str, thread_id: str, values: Any, as_node: str | None = None, checkpoint: Any = None
    ) -> Any:
        async with self._graph(graph_id) as graph:
            config = await graph.aupdate_state(config_of(thread_id, checkpoint), values, as_node=as_node)
            configurable = config["configurable"]
            return {
                "checkpoint": checkpoint_of(config),
                "configurable": configurable,
                "checkpoint_id": configurable["checkpoint_id"],
            }

    async def op_bulk(self, graph_id: str, thread_id: str, supersteps: list[dict[str, Any]]) -> Any:
        """Steps as another server has had them, each with what its nodes have written."""
        steps = [[_step_of(update) for update in step.get("updates") or []] for step in supersteps]
        async with self._graph(graph_id) as graph:
            await graph.abulk_update_state(config_of(thread_id), steps)
        return {}

    async def op_draw(self, graph_id: str, xray: Any = False, config: Any = None) -> Any:
        async with self._graph(graph_id, config) as graph:
            return graph_view(graph, xray)

    async def op_nodes(self, graph_id: str, config: Any = None) -> Any:
        async with self._graph(graph_id, config) as graph:
            return sorted(str(name) for name in graph.nodes)

    async def op_schemas(self, graph_id: str, config: Any = None) -> Any:
        async with self._graph(graph_id, config) as graph:
            return schemas_view(graph_id, graph)

    async def op_subgraphs(
        self, graph_id: str, namespace: str | None = None, recurse: bool = False, config: Any = None
    ) -> Any:
        async with self._graph(graph_id, config) as graph:
            found = graph.aget_subgraphs(namespace=namespace, recurse=recurse)
            return {name: schemas_view(graph_id, subgraph) async for name, subgraph in found}

    async def op_drop(self, thread_id: str, run_id: str | None = None) -> Any:
        await drop(self._pool, thread_id, run_id)
        return {}

    async def op_copy(self, thread_id: str, to_thread_id: str) -> Any:
        await copy(self._pool, thread_id, to_thread_id)
        return {}

    async def op_store_put(self, namespace: list[str], key: str, value: Any, index: Any = None) -> Any:
        await self._store.aput(tuple(namespace), key, value, index)
        return {}

    async def op_store_get(self, namespace: list[str], key: str) -> Any:
        item = await self._store.aget(tuple(namespace), key)
        return item and item.dict()

    async def op_store_delete(self, namespace: list[str], key: str) -> Any:
        await self._store.adelete(tuple(namespace), key)
        return {}

    async def op_store_search(self, namespace: list[str], filter: Any, limit: int, offset: int) -> Any:
        try:
            found = await self._store.asearch(tuple(namespace), filter=filter, limit=limit, offset=offset)
        except ValueError as error:
            # Of the library: a filter with an operator that it has not.
            raise RefusedError(422, f"filter: {error}") from error
        return {"items": [item.dict() for item in found]}

    async def op_store_namespaces(
        self, namespace: Any, suffix: Any, max_depth: int | None, limit: int, offset: int
    ) -> Any:
        found = await self._store.alist_namespaces(
            prefix=tuple(namespace) if namespace else None,
            suffix=tuple(suffix) if suffix else None,
            max_depth=max_depth,
            limit=limit,
            offset=offset,
        )
        return {"namespaces": found}

    async def op_authenticate(self, **request: Any) -> Any:
        return await self._auth.authenticate(request) if self._auth else None

    async def op_authorize(self, resource: str, action: str, value: Any, user: Any) -> Any:
        if not self._auth:
            return {"value": value, "filters": None}
        return await self._auth.authorize(resource, action, value, user)


def _step_of(update: dict[str, Any]) -> StateUpdate:
    command = update.get("command")
    values = with_messages(update.get("values"))
    return StateUpdate(command_of(with_messages(command)) if command else values, update.get("as_node"))


async def main(path: str) -> None:
    loop = asyncio.get_running_loop()
    channel = Channel(3, loop)
    worker: Worker | None = None
    # From now on: while a graph is imported, which may take long, the end of the server ends this process too.
    channel.start(lambda header, body: worker.take(header, body) if worker else None)
    project = Project(path)
    project.load()
    pool, store = await opened(os.environ["DATABASE_URI"], int(os.environ.get("SLIPWAY_POOL_SIZE", "5")))
    named = (project.config.get("auth") or {}).get("path")
    worker = Worker(project, pool, store, channel, Authorizer(project.load_object(named)) if named else None)
    hello = {
        "e": "hello",
        "v": PROTOCOL,
        "language": "python",
        "langgraph": LANGGRAPH,
        "graphs": await described(project),
        "auth": named is not None,
        "drains": RunControl is not None,
        "lacks": project.lacks,
        "cors": {**((project.config.get("http") or {}).get("cors") or {})},
    }
    channel.send(hello)
    await asyncio.Event().wait()


def run() -> None:
    # The server stops this process when its runs have been handed back.
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, lambda *_: None)  # Not SIG_IGN, which the project's own programs would inherit.
    try:
        asyncio.run(main(sys.argv[1]))
    except ProjectError as error:
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        print(error, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    run()
