"""What a langgraph.json says, and its graphs."""

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


#: Fields that a server of ours does not act upon yet; said at start, never passed over in silence.
_NOT_YET = ("checkpointer", "webhooks", "ui", "encryption")


class ProjectError(Exception):
    """The project cannot be served, for a reason that its author can mend."""


class Project:
    def __init__(self, path: str) -> None:
        self.folder = os.path.dirname(os.path.abspath(path))
        with open(path, encoding="utf-8-sig") as file:
            self.config: dict[str, Any] = json.load(file)
        self.graphs: dict[str, Any] = {}
        self.lacks = [name for name in _NOT_YET if self.config.get(name)]
        if (self.config.get("http") or {}).get("app"):
            self.lacks.append("http.app")
        if ((self.config.get("http") or {}).get("cors") or {}).get("allow_origin_regex"):
            self.lacks.append("http.cors.allow_origin_regex")
        if (self.config.get("store") or {}).get("index"):
            self.lacks.append("store.index")

    def load(self) -> None:
        """Imports every graph. Raises ProjectError that names the graph."""
        self._environment()
        for dependency in [".", *self.config.get("dependencies", [])]:
            if dependency.startswith("."):
                folder = os.path.abspath(os.path.join(self.folder, dependency))
                if folder not in sys.path:
                    sys.path.insert(0, folder)
        for graph_id, spec in self.config["graphs"].items():
            path = spec["path"] if isinstance(spec, dict) else spec
            try:
                self.graphs[graph_id] = self.load_object(path)
            except Exception as error:
                raise ProjectError(f"graph {graph_id} ({path}): {type(error).__name__}: {error}") from error

    def load_object(self, spec: str) -> Any:
        path, _, name = spec.rpartition(":")
        if not path:
            raise ProjectError(f"{spec!r} names no object: write path/to/file.py:name")
        return getattr(self._module(path), name)

    def _module(self, path: str) -> Any:
        if not path.endswith(".py"):
            return importlib.import_module(path)
        full = os.path.normpath(os.path.join(self.folder, path))
        # The name is the same in every build: checkpoints name the module of classes that they hold.
        name = "slipway_graph_" + re.sub(r"\W", "_", os.path.relpath(full, self.folder))
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, full)
        if spec is None or spec.loader is None:
            raise ProjectError(f"{path} is no file of Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module

    def _environment(self) -> None:
        """`env` of langgraph.json, for what the deployment does not set itself."""
        env = self.config.get("env") or {}
        if isinstance(env, str):
            env = _env_file(os.path.join(self.folder, env))
        for name, value in env.items():
            os.environ.setdefault(name, str(value))

    @asynccontextmanager
    async def graph(self, graph_id: str, config: dict[str, Any], **replaced: Any) -> AsyncIterator[Any]:
        """A graph as its factory makes it for a config, with another saver and store."""
        if graph_id not in self.graphs:
            raise ProjectError(f"there is no graph {graph_id}; there are {', '.join(sorted(self.graphs))}")
        made = self.graphs[graph_id]
        async with _made(made, config) as graph:
            if hasattr(graph, "compile"):
                graph = graph.compile()
            yield graph.copy(update=replaced)


def is_factory(made: Any) -> bool:
    """Whether it makes graphs, each as its config wants it."""
    return callable(made) and not hasattr(made, "astream") and not hasattr(made, "compile")


@asynccontextmanager
async def _made(made: Any, config: dict[str, Any]) -> AsyncIterator[Any]:
    if not is_factory(made):
        yield made
        return
    count = len(inspect.signature(made).parameters)
    graph = made(config) if count else made()
    if inspect.isawaitable(graph):
        graph = await graph
    if inspect.isasyncgen(graph):
        graph = asynccontextmanager(lambda: graph)()  # noqa: B023
    if hasattr(graph, "__aenter__") and not hasattr(graph, "astream"):
        async with graph as entered:
            yield entered
    elif hasattr(graph, "__enter__") and not hasattr(graph, "astream"):
        with graph as entered:
            yield entered
    else:
        yield graph


def _drawn_nodes(graph: Any) -> list[str]:
    """Nodes with those of subgraphs, as `parent:node`; none if the graph cannot be drawn."""
    try:
        return list(graph.get_graph(xray=True).nodes)
    except Exception:
        return []


def _env_file(path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8-sig") as file:
        for line in file:
            name, equals, value = line.strip().removeprefix("export ").partition("=")
            if equals and name and not name.startswith("#"):
                value = value.strip()
                quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
                found[name.strip()] = value[1:-1] if quoted else value
    return found


async def described(project: Project) -> dict[str, Any]:
    """Graph ids with their nodes, as `hello` tells them; `null` where a factory fails by its default config."""

    async def nodes(graph_id: str) -> list[str] | None:
        try:
            async with project.graph(graph_id, {"configurable": {}}) as graph:
                return sorted({str(name) for name in [*graph.nodes, *_drawn_nodes(graph)]})
        except Exception as error:
            print(f"graph {graph_id}: its nodes are unknown: {type(error).__name__}: {error}", file=sys.stderr)
            return None

    found = await asyncio.gather(*(nodes(graph_id) for graph_id in project.graphs))
    return {
        graph_id: {"nodes": names, "varies": is_factory(project.graphs[graph_id])}
        for graph_id, names in zip(project.graphs, found, strict=True)
    }


