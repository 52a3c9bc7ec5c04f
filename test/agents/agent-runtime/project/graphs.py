"""Graphs without models and keys: each shows one thing that a server must do."""

import asyncio
import operator
import os
from dataclasses import dataclass
from typing import Annotated

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store, get_stream_writer
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

#: Each step writes a line there, so that a test counts what really ran.
STEPS_FILE = os.environ.get("STEPS_FILE", os.devnull)
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0.3"))


class State(TypedDict):
    steps: Annotated[list, operator.add]
    messages: Annotated[list, add_messages]


class Context(TypedDict, total=False):
    tone: str


def step(name):
    async def run(state, config: RunnableConfig):
        with open(STEPS_FILE, "a") as file:
            file.write(f"{config['configurable']['thread_id']} {name}\n")
        await asyncio.sleep(STEP_SECONDS)
        # A test holds a step while it does something to the server.
        while os.path.exists(f"{STEPS_FILE}.hold-{name}"):
            await asyncio.sleep(0.02)
        return {"steps": [name]}

    return run


def chain(**nodes):
    builder = StateGraph(State, context_schema=Context)
    before = START
    for name, node in nodes.items():
        builder.add_node(name, node)
        builder.add_edge(before, name)
        before = name
    builder.add_edge(before, END)
    return builder.compile()


async def talk(state, runtime: Runtime[Context]):
    get_stream_writer()({"note": "hi", "tone": (runtime.context or {}).get("tone")})
    model = GenericFakeChatModel(messages=iter([AIMessage(content="one two three")]))
    return {"messages": [await model.ainvoke(state["messages"])], "steps": ["talk"]}


def approve(state):
    return {"steps": [f"approve:{interrupt('ok?')}"]}


def ask_twice(state):
    first = interrupt("one?")
    with open(STEPS_FILE, "a") as file:
        file.write(f"asked {first}\n")
    return {"steps": [f"asks:{first}:{interrupt('two?')}"]}


async def remember(state, config: RunnableConfig):
    store = get_store()
    await store.aput(("notes",), "last", {"big": 9007199254740993, "text": "ü"})
    return {"steps": [(await store.aget(("notes",), "last")).value]}


async def remember_text(state):
    """Values that are no dict, which some agents put."""
    store = get_store()
    await store.aput(("texts",), "last", "a text")
    found = await store.asearch(("texts",), limit=10)
    return {"steps": [(await store.aget(("texts",), "last")).value, *(item.value for item in found)]}


def make(config: RunnableConfig):
    """A factory: its graph depends on the config."""
    name = config.get("configurable", {}).get("node", "plain")
    return chain(**{name: lambda state: {"steps": [name]}})


def who(state, config: RunnableConfig):
    user = config["configurable"]["langgraph_auth_user"]
    return {"steps": [user.identity, user["team"]]}


def fail(state):
    raise ValueError("no luck")


def show(state, config: RunnableConfig, runtime: Runtime[Context]):
    """What a run is told, but for what every server says of itself."""
    configurable = {name: value for name, value in config["configurable"].items() if name in ("tone", "n", "a")}
    metadata = {name: config["metadata"].get(name) for name in ("of", "in")}
    seen = {"configurable": configurable, "metadata": metadata, "tags": config.get("tags"), "limit": config.get("recursion_limit")}
    return {"steps": [{**seen, "context": runtime.context}]}


def fan():
    """Two nodes of one step, each with a question."""
    builder = StateGraph(State)
    for side in ("left", "right"):
        builder.add_node(side, lambda state, side=side: {"steps": [f"{side}:{interrupt(f'{side}?')}"]})
        builder.add_edge(START, side)
        builder.add_edge(side, END)
    return builder.compile()


@dataclass
class Manner:
    """A context with values of its own for what is not sent."""

    tone: str = "plain"
    volume: int = 1


def typed(node):
    builder = StateGraph(State, context_schema=Manner)
    builder.add_node("manner", node)
    builder.add_edge(START, "manner")
    builder.add_edge("manner", END)
    return builder.compile()


def manner(state, runtime: Runtime[Manner]):
    return {"steps": [[type(runtime.context).__name__, runtime.context.tone, runtime.context.volume]]}


def route(state):
    return Command(update={"steps": ["route"]}, goto="approve")


def routed():
    """A node that chooses the next one by itself, without an edge."""
    builder = StateGraph(State)
    builder.add_node("route", route, destinations=("approve",))
    builder.add_node("approve", approve)
    builder.add_edge(START, "route")
    builder.add_edge("approve", END)
    return builder.compile()


chat = chain(talk=talk)
human = chain(s1=step("s1"), approve=approve, pay=lambda state: {"steps": ["paid"]})
asks = chain(ask=ask_twice, done=lambda state: {"steps": ["done"]})
both = fan()
routes = routed()
nested = chain(inner=chat)
nested_human = chain(inner=human)
deep = chain(outer=nested)
steps = chain(**{f"s{number}": step(f"s{number}") for number in range(1, 9)})
remembers = chain(remember=remember)
remembers_text = chain(remember=remember_text)
made = make
pair = chain(s1=step("s1"), s2=step("s2"))
shows = chain(show=show)
manners = typed(manner)
fails = chain(fail=fail)
nested_fails = chain(inner=fails)
whoami = chain(who=who)
approve_held = chain(approve=approve, s2=step("s2"))
asks_held = chain(ask=ask_twice, s2=step("s2"))
