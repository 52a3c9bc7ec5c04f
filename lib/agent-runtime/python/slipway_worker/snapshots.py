"""State, history and updates of threads, and how graphs look, in the forms of the HTTP API."""

from typing import Any

from langgraph.types import StateSnapshot

_CHECKPOINT = ("thread_id", "checkpoint_ns", "checkpoint_id")


def checkpoint_of(config: Any) -> dict[str, Any] | None:
    configurable = (config or {}).get("configurable") or {}
    if not configurable.get("checkpoint_id"):
        return None
    return _named(configurable)


def _named(configurable: Any) -> dict[str, Any]:
    named = {name: configurable[name] for name in _CHECKPOINT if name in configurable}
    return named | {"checkpoint_map": known} if (known := configurable.get("checkpoint_map")) else named


def _place_of(state: Any) -> dict[str, Any] | None:
    """Where the state of a subgraph is found that a task runs."""
    return _named(state.get("configurable") or {}) if isinstance(state, dict) else None


def checkpoint_payload(payload: Any) -> Any:
    """A checkpoint as streams name it, with its own id and its parent's."""
    return {
        **payload,
        "tasks": [_streamed_task(task) for task in payload.get("tasks") or []],
        "checkpoint": checkpoint_of(payload.get("config")),
        "parent_checkpoint": checkpoint_of(payload.get("parent_config")),
    }


def _streamed_task(task: Any) -> Any:
    place = _place_of(task.get("state"))
    if place is None:
        return task
    return {name: value for name, value in task.items() if name != "state"} | {"checkpoint": place}


def interrupt_view(interrupt: Any) -> dict[str, Any]:
    return {"value": interrupt.value, "id": interrupt.id}


def interrupts_of(state: StateSnapshot) -> dict[str, Any]:
    return {task.id: [interrupt_view(one) for one in task.interrupts] for task in state.tasks if task.interrupts}


def next_of(state: StateSnapshot) -> list[str]:
    """The nodes that come next, those of graphs inside as `parent:node` where the state was asked with those."""
    inside = {task.name: next_of(task.state) for task in state.tasks if isinstance(task.state, StateSnapshot)}
    found = [path for name in state.next for path in ([f"{name}:{one}" for one in inside.get(name, [])] or [name])]
    return list(dict.fromkeys(found))


async def next_within(graph: Any, state: StateSnapshot) -> list[str]:
    """As `next_of`; asks for the graphs inside, if there are any."""
    if any(isinstance(task.state, dict) for task in state.tasks if task.name in state.next):
        state = await graph.aget_state(state.config, subgraphs=True)
    return next_of(state)


def state_view(state: StateSnapshot) -> dict[str, Any]:
    config, parent = state.config or {}, state.parent_config or {}
    return {
        "values": state.values,
        "next": list(state.next),
        "tasks": [_task_view(task) for task in state.tasks],
        "metadata": state.metadata,
        "created_at": state.created_at,
        "checkpoint": checkpoint_of(config),
        "parent_checkpoint": checkpoint_of(parent),
        "interrupts": [interrupt_view(one) for one in state.interrupts],
        "checkpoint_id": (config.get("configurable") or {}).get("checkpoint_id"),
        "parent_checkpoint_id": (parent.get("configurable") or {}).get("checkpoint_id"),
    }


def _task_view(task: Any) -> dict[str, Any]:
    return {
        "id": task.id,
        "name": task.name,
        "path": task.path,
        "error": str(task.error) if task.error else None,
        "interrupts": [interrupt_view(one) for one in task.interrupts],
        "checkpoint": _place_of(task.state),
        "state": state_view(task.state) if isinstance(task.state, StateSnapshot) else None,
        "result": getattr(task, "result", None),
    }


def config_of(thread_id: str, checkpoint: dict[str, Any] | None = None, extra: Any = None) -> dict[str, Any]:
    """The config that names a thread, or one checkpoint of it."""
    named = {name: value for name, value in (checkpoint or {}).items() if value is not None}
    return {"configurable": {**(extra or {}), "checkpoint_ns": "", **named, "thread_id": thread_id}}


def graph_view(graph: Any, xray: Any) -> Any:
    drawn = graph.get_graph(xray=xray).to_json()
    for node in drawn["nodes"]:
        # The class of LangGraph's that a node is of is nothing of the project's.
        if isinstance(node.get("data"), dict) and "name" in node["data"]:
            node["data"].pop("id", None)
    return drawn


def schemas_view(graph_id: str, graph: Any) -> dict[str, Any]:
    """The schemas that a graph can tell; null for those that have no form in JSON schema."""

    def told(name: str) -> Any:
        try:
            return getattr(graph, name)()
        except Exception:
            return None

    return {
        "graph_id": graph_id,
        "input_schema": told("get_input_jsonschema"),
        "output_schema": told("get_output_jsonschema"),
        "state_schema": told("get_output_jsonschema"),
        "config_schema": _configurable(told("get_config_jsonschema")),
        "context_schema": told("get_context_jsonschema"),
    }


def _configurable(schema: Any) -> Any:
    """Of a config only what the graph itself reads of it."""
    found = ((schema or {}).get("properties") or {}).get("configurable")
    if not isinstance(found, dict):
        return {} if schema is not None else None
    definitions = dict(schema.get("$defs") or {})
    own = definitions.pop(str(found.get("$ref", "")).rpartition("/")[2], found)
    return {**own, "$defs": definitions} if definitions else own
