"""Graphs that a release gives other names of nodes: `NODE` is that of the node that asks a person."""

import operator
import os
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

NODE = os.environ.get("NODE", "approve")


class State(TypedDict):
    steps: Annotated[list, operator.add]


def note(name):
    return lambda state: {"steps": [name]}


def ask(state):
    return {"steps": [f"answer {interrupt('ok?')}"]}


def chain(**nodes):
    builder = StateGraph(State)
    before = START
    for name, node in nodes.items():
        builder.add_node(name, node)
        builder.add_edge(before, name)
        before = name
    builder.add_edge(before, END)
    return builder.compile()


def joined():
    builder = StateGraph(State)
    for name, node in {"one": note("one"), "two": ask, NODE: note("joined")}.items():
        builder.add_node(name, node)
    builder.add_edge(START, "one")
    builder.add_edge(START, "two")
    builder.add_edge(["one", "two"], NODE)
    return builder.compile()


def sent():
    builder = StateGraph(State)
    builder.add_node("spread", lambda state: Command(goto=[Send(NODE, {"steps": []})]))
    builder.add_node(NODE, ask)
    builder.add_edge(START, "spread")
    return builder.compile()


inner = chain(before=note("before"), **{NODE: ask})


async def call(state):
    return {"steps": (await inner.ainvoke({"steps": []}))["steps"]}


GRAPHS = {"inner": inner}


async def look_up(state):
    """Nobody can tell from outside which graph it calls."""
    return {"steps": (await GRAPHS["inner"].ainvoke({"steps": []}))["steps"]}


def hand_over(state):
    interrupt("who?")
    return Command(graph=Command.PARENT, goto="after")


def handed():
    """The graph inside ends by a word to its parent, so that its own node is never done."""
    inside = {"graph": chain(**{NODE: hand_over})}

    async def delegate(state):
        return await inside["graph"].ainvoke(state)

    builder = StateGraph(State)
    builder.add_node("delegate", delegate, destinations=("after",))
    builder.add_node("after", note("after"))
    builder.add_edge(START, "delegate")
    return builder.compile()


def make(config: RunnableConfig):
    return chain(**{config.get("configurable", {}).get("node", "plain"): ask})


def fail_once(state):
    if not os.path.exists(os.environ["MENDED"]):
        raise ValueError("not mended")
    return {"steps": ["mended"]}


flat = chain(first=note("first"), **{NODE: ask}, last=note("last"))
drawn = chain(team=inner, last=note("last"))
called = chain(call=call, last=note("last"))
hidden = chain(call=look_up, last=note("last"))
fails = chain(first=note("first"), **{NODE: fail_once}, last=note("last"))
join = joined()
sends = sent()
hands = handed()
made = make
