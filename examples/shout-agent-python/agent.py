"""An agent without a model: it says the last message again, loudly, word by word."""

import asyncio
import os

from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph

# Change it, commit and update the deployment: answers begin with it.
VERSION = "v1"
# As if each word took a while to think of, so that a stream can be watched.
WORD_SECONDS = 0.2


async def shout(state: MessagesState) -> dict:
    write = get_stream_writer()
    words = str(state["messages"][-1].content).upper().split()
    for word in words:
        write({"word": word})
        await asyncio.sleep(WORD_SECONDS)
    text = f"{VERSION}: {' '.join(words)}{os.environ.get('SHOUT_ENDING', '')}"
    return {"messages": [AIMessage(content=text)]}


builder = StateGraph(MessagesState)
builder.add_node("shout", shout)
builder.add_edge(START, "shout")
builder.add_edge("shout", END)
graph = builder.compile()
