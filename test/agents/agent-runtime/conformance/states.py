"""States of threads, what they were, and changes of them by people."""

from asking import INPUT, NOBODY, asked, client, flow, refused, started, thread
from langgraph_sdk.schema import Command


@flow
async def state_and_history():
    known = await thread()
    empty = await client.threads.get_state(known)
    await client.runs.wait(known, "chat", input=INPUT)
    state, history = await client.threads.get_state(known), await client.threads.get_history(known)
    earlier = {"configurable": history[0]["checkpoint"]}
    before = await client.threads.get_history(known, before=earlier, limit=1)
    at = await client.threads.get_state(known, checkpoint=history[1]["checkpoint"])
    update = await client.threads.update_state(known, {"steps": ["manual"]}, as_node="talk")
    after = await client.threads.get_state(known)
    again = await client.runs.wait(known, "chat", input=None, checkpoint=history[1]["checkpoint"])
    states = [state, history[0], before[0], at, update]
    return empty, states, len(history), after["values"]["steps"], after["next"], again["steps"]


@flow
async def subgraph_state():
    known = await thread()
    await client.runs.wait(known, "nested", input=INPUT, interrupt_before=["inner"])
    return (await client.threads.get_state(known, subgraphs=True))["tasks"]


@flow
async def updates_of_states():
    """As nodes, without one, of an earlier checkpoint, and while a person is asked."""
    known = await thread()
    await client.runs.wait(known, "human", input=INPUT)
    waiting = await client.threads.get_state(known)
    await client.threads.update_state(known, {"steps": ["as approve"]}, as_node="approve")
    skipped = await client.threads.get_state(known)
    went_on = await client.runs.wait(known, "human", input=None)
    fork = await client.threads.update_state(known, {"steps": ["fork"]}, as_node="s1", checkpoint=waiting["checkpoint"])
    forked = await client.threads.get_state(known)
    status = (await client.threads.get(known))["status"]
    answered = await client.runs.wait(known, "human", command=Command(resume="forked"))
    plain = await client.threads.update_state(known, {"steps": ["plain"]})
    nothing = await client.threads.update_state(known, None, as_node="s1")
    after = await client.threads.get_state(known)
    history = [[one["values"].get("steps"), one["next"], one["metadata"]["source"]] for one in await client.threads.get_history(known, limit=20)]
    return skipped["next"], skipped["values"], went_on, sorted(fork), forked["next"], status, answered, plain, nothing, after["next"], history


@flow
async def a_thread_is_made_by_updates():
    """Without any run: its graph is known by its metadata."""
    known = await thread(graph_id="human")
    empty = await client.threads.get_state(known)
    made = await refused(client.threads.update_state(known, {"steps": ["made"]}, as_node="s1"))
    state = await client.threads.get_state(known)
    row = await client.threads.get(known)
    on = await refused(client.runs.wait(known, "human", input=None))
    copied = await thread(
        graph_id="human",
        supersteps=[
            {"updates": [{"values": INPUT, "as_node": "__input__"}]},
            {"updates": [{"values": INPUT, "as_node": "__start__"}]},
            {"updates": [{"values": {"steps": ["s1"]}, "as_node": "s1"}]},
        ],
    )
    history = [[one["next"], one["values"].get("steps")] for one in await client.threads.get_history(copied)]
    answered = await client.runs.wait(copied, "human", command=Command(resume="yes"))
    wrong = await refused(thread(graph_id="human", supersteps=[{"updates": [{"values": {}, "as_node": "nope"}]}]))
    return empty, made, state["next"], state["values"], row["status"], row["values"], on, history, answered, wrong


@flow
async def states_refused():
    known = await thread()
    no_graph = await refused(client.threads.update_state(known, {"steps": ["x"]}))
    await client.runs.wait(known, "chat", input=INPUT)
    busy, run_id = await started("steps")
    answers = {
        "no graph": no_graph,
        "busy": await refused(client.threads.update_state(busy, {"steps": ["x"]}, as_node="s1")),
        "node": await refused(client.threads.update_state(known, {"steps": ["x"]}, as_node="nope")),
        "values": await refused(client.threads.update_state(known, [{"steps": ["x"]}])),
        "checkpoint": (await refused(client.threads.get_state(known, checkpoint_id=NOBODY)))["values"],
        "thread": await refused(client.threads.get_state(NOBODY)),
        "history": await refused(client.threads.get_history(NOBODY)),
        "update": await refused(client.threads.update_state(NOBODY, {})),
        "limit": await asked("POST", f"/threads/{known}/history", {"limit": "many"}),
    }
    await client.runs.cancel(busy, run_id, wait=True)
    return answers


@flow
async def history_filtered():
    known = await thread()
    await client.runs.wait(known, "human", input=INPUT)
    await client.runs.wait(known, "human", command=Command(resume="yes"))
    await client.threads.update_state(known, {"steps": ["by hand"]}, as_node="pay")
    everything = await client.threads.get_history(known, limit=100)

    async def steps(**by):
        found = await refused(client.threads.get_history(known, limit=by.pop("limit", 100), **by))
        if found and not isinstance(found[0], dict):
            return found
        return [[one["values"].get("steps"), one["metadata"]["step"]] for one in found]

    third = everything[2]
    return {
        "limit": await steps(limit=2),
        "by source": await steps(metadata={"source": "update"}),
        "by step": await steps(metadata={"step": 1}),
        "none": await steps(metadata={"source": "nobody"}),
        "before a config": await steps(before={"configurable": third["checkpoint"]}),
        "by query": [[len(page), status] for status, page in [await asked("GET", f"/threads/{known}/history?limit=3")]],
        "chain": [one["parent_checkpoint"] == before["checkpoint"] for one, before in zip(everything, everything[1:])],
    }


@flow
async def states_of_a_subgraph():
    """A question within a subgraph: its state, its history, and a change in its namespace."""
    known = await thread()
    await client.runs.wait(known, "nested_human", input=INPUT)
    outer = await client.threads.get_state(known)
    namespace = outer["tasks"][0]["checkpoint"]
    inner = await client.threads.get_state(known, checkpoint=namespace)
    history = await client.threads.get_history(known, checkpoint=namespace)
    with_inner = await client.threads.get_state(known, subgraphs=True)
    nested = with_inner["tasks"][0]["state"]
    changed = await client.threads.update_state(known, {"steps": ["inside"]}, checkpoint=namespace)
    answered = await client.runs.wait(known, "nested_human", command=Command(resume="yes"))
    return (
        sorted(namespace),
        namespace["checkpoint_ns"].split(":")[0],
        inner["next"],
        inner["values"],
        [[one["next"], one["values"].get("steps")] for one in history],
        nested["next"],
        nested["values"],
        nested["tasks"],
        sorted(changed["checkpoint"]),
        changed["checkpoint"]["checkpoint_ns"].split(":")[0],
        answered,
    )
