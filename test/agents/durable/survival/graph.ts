/** So many steps has each run. */
export const STEPS = 8;

/**
 * Graphs whose nodes have the name of their build: one of eight steps, each of which writes a line before it
 * does anything else, and one that waits for a person.
 */
export const graphsOf = (name: string): string => `
import asyncio
import os
import time
from operator import add
from typing import Annotated, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class State(TypedDict):
    steps: Annotated[list[str], add]


def chain(**nodes):
    builder = StateGraph(State)
    before = START
    for node, run in nodes.items():
        builder.add_node(node, run)
        builder.add_edge(before, node)
        before = node
    builder.add_edge(before, END)
    return builder.compile()


def step(number):
    async def run(state, config: RunnableConfig):
        ids = config["metadata"]
        line = [time.time(), ids["thread_id"], ids["run_id"], number, os.environ["SLIPWAY_REVISION_ID"], os.getpid()]
        # One write, which other processes cannot come between.
        with open(os.environ["STEPS_FILE"], "ab", buffering=0) as file:
            file.write((" ".join(str(one) for one in line) + "\\n").encode())
        await asyncio.sleep(float(os.environ["STEP_SECONDS"]))
        return {"steps": [f"${name} {number}"]}

    return run


def approve(state):
    return {"steps": [f"${name} " + interrupt("may I?") + " " + os.environ["WORD"]]}


steps = chain(**{f"${name}_{number}": step(number) for number in range(1, ${STEPS + 1})})
human = chain(
    ${name}_before=lambda state: {"steps": ["${name} before"]},
    ${name}_approve=approve,
    ${name}_after=lambda state: {"steps": ["${name} after"]},
)
`;

export const CONFIG = JSON.stringify({
  dependencies: ['.'],
  graphs: { steps: './agent.py:steps', human: './agent.py:human' },
});
