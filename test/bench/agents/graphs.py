"""Graphs that take no time of their own, so that what is measured is the server's."""

import operator
from typing import Annotated

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph, add_messages
from typing_extensions import TypedDict


class State(TypedDict):
    messages: Annotated[list, add_messages]
    count: Annotated[int, operator.add]


async def talk(state):
    model = GenericFakeChatModel(messages=iter([AIMessage(content="one two three four five six seven eight")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


async def shout(state):
    write = get_stream_writer()
    for number in range(state["count"]):
        write({"number": number, "text": "some words as a tool would say them"})
    return {}


def single(node):
    builder = StateGraph(State)
    builder.add_node("only", node)
    builder.add_edge(START, "only")
    builder.add_edge("only", END)
    return builder.compile()


talker = single(talk)
noisy = single(shout)
