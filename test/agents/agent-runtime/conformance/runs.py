"""Runs: how they are made, wait, ask, are replaced and end."""

import asyncio
import time

from asking import INPUT, NOBODY, asked, client, ended, events, flow, flows, refused, started, thread
from langgraph_sdk.schema import Command


@flow
async def create_join_get():
    known = await thread()
    run = await client.runs.create(known, "chat", input=INPUT, metadata={"m": 1})
    output = await client.runs.join(known, run["run_id"])
    got = await client.runs.get(known, run["run_id"])
    listed = await client.runs.list(known)
    await client.runs.delete(known, run["run_id"])
    gone = await refused(client.runs.get(known, run["run_id"]))
    return run, output, got, len(listed), await client.threads.get(known), gone[0]


@flow
async def stateless():
    streams = await events(client.runs.stream(None, "chat", input=INPUT))
    waits = await client.runs.wait(None, "chat", input=INPUT)
    kept = await events(client.runs.stream(None, "chat", input=INPUT, on_completion="keep"))
    return streams, waits, kept


@flow
async def waits():
    known = await thread()
    first = await client.runs.wait(known, "chat", input=INPUT)
    created = await client.runs.wait(NOBODY[:-1] + "7", "chat", input=INPUT, if_not_exists="create")
    await client.threads.delete(NOBODY[:-1] + "7")
    fails = await refused(client.runs.wait(known, "fails", input=INPUT, raise_error=False))
    return first, created, fails, (await client.threads.get(known))["status"]


@flow
async def interrupt_and_answer():
    known = await thread()
    first = await client.runs.wait(known, "human", input=INPUT)
    waiting, state = await client.threads.get(known), await client.threads.get_state(known)
    found = await client.threads.search(status="interrupted", ids=[known])
    second = await client.runs.wait(known, "human", command=Command(resume="yes"))
    runs = [run["status"] for run in await client.runs.list(known)]
    return first, waiting, state, len(found), second, await client.threads.get(known), runs


@flow
async def two_questions_of_a_node():
    known = await thread()
    first = await client.runs.wait(known, "asks", input=INPUT)
    second = await client.runs.wait(known, "asks", command=Command(resume="a"))
    third = await client.runs.wait(known, "asks", command=Command(resume="b"))
    return first["__interrupt__"], second["__interrupt__"], third["steps"]


@flow
async def commands():
    known = await thread()
    await client.runs.wait(known, "human", input=INPUT)
    gone = await client.runs.wait(known, "human", command=Command(goto="pay", update={"steps": ["updated"]}))
    return gone, await client.threads.get_state(known)


@flow
async def multitask_reject_and_enqueue():
    known = await thread()
    await client.runs.create(known, "steps", input=INPUT)
    await asyncio.sleep(0.6)
    busy = (await client.threads.get(known))["status"]
    rejected = await refused(client.runs.create(known, "chat", input=INPUT, multitask_strategy="reject"))
    queued = await client.runs.create(known, "chat", input=INPUT)
    await client.runs.join(known, queued["run_id"])
    runs = [run["status"] for run in await client.runs.list(known)]
    return busy, rejected[0], queued["status"], runs, (await client.threads.get_state(known))["values"]["steps"]


def replaced(strategy):
    async def run():
        known = await thread()
        await client.runs.create(known, "steps", input=INPUT)
        await asyncio.sleep(1.5)
        after = await client.runs.create(known, "chat", input=INPUT, multitask_strategy=strategy)
        await client.runs.join(known, after["run_id"])
        steps = (await client.threads.get_state(known))["values"]["steps"]
        return [run["status"] for run in await client.runs.list(known)], "s1" in steps, steps[-1]

    flows[f"multitask_{strategy}"] = run


replaced("interrupt")
replaced("rollback")


@flow
async def cancels():
    known = await thread()
    run = await client.runs.create(known, "steps", input=INPUT)
    await asyncio.sleep(1.2)
    await client.runs.cancel(known, run["run_id"], wait=True)
    stood = await client.threads.get_state(known)
    status = (await client.runs.get(known, run["run_id"]))["status"]
    return status, (await client.threads.get(known))["status"], len(stood["next"])


@flow
async def cancels_by_rollback():
    known = await thread()
    run = await client.runs.create(known, "steps", input=INPUT)
    await asyncio.sleep(1.2)
    await client.runs.cancel(known, run["run_id"], wait=True, action="rollback")
    return (await refused(client.runs.get(known, run["run_id"])))[0], (await client.threads.get_state(known))["values"]


@flow
async def later():
    known, began = await thread(), time.monotonic()
    run = await client.runs.create(known, "chat", input=INPUT, after_seconds=2)
    return run["status"], await ended(known, run["run_id"]), time.monotonic() - began >= 2


@flow
async def durabilities():
    numbers = {}
    for durability in ("sync", "async", "exit"):
        known = await thread()
        await client.runs.wait(known, "chat", input=INPUT, durability=durability)
        numbers[durability] = len(await client.threads.get_history(known))
    return numbers


@flow
async def breakpoints():
    """Before and after nodes, at all of them, and on from there."""
    stops = {}
    for name, more in (
        ("before", {"interrupt_before": ["s2"]}),
        ("after", {"interrupt_after": ["s2"]}),
        ("before all", {"interrupt_before": "*"}),
        ("after all", {"interrupt_after": "*"}),
    ):
        known = await thread()
        first = await client.runs.wait(known, "pair", input=INPUT, **more)
        row, state = await client.threads.get(known), await client.threads.get_state(known)
        second = await client.runs.wait(known, "pair", input=None)
        after = await client.threads.get(known)
        stops[name] = [first, row["status"], row["interrupts"], state["next"], second, after["status"]]
    return stops


@flow
async def questions_at_once():
    """Two nodes of one step ask; each is answered by its id."""
    known = await thread()
    first = await client.runs.wait(known, "both", input=INPUT)
    asked_ids = {one["value"]: one["id"] for one in first["__interrupt__"]}
    one = await client.runs.wait(known, "both", command=Command(resume={asked_ids["left?"]: "l"}))
    left = await client.threads.get_state(known)
    two = await client.runs.wait(known, "both", command=Command(resume={asked_ids["right?"]: "r"}))
    waiting = sorted(one["value"] for one in left["interrupts"])
    return sorted(asked_ids), sorted(one["__interrupt__"][0]), waiting, left["next"], two["steps"], (await client.threads.get(known))["status"]


async def after(graph, *commands):
    known = await thread()
    await client.runs.wait(known, graph, input=INPUT)
    answers = [await refused(client.runs.wait(known, graph, command=command, raise_error=False)) for command in commands]
    state, row = await client.threads.get_state(known), await client.threads.get(known)
    return answers, state["next"], state["values"], row["status"]


@flow
async def goes_nowhere():
    return await after("human", Command(goto="nowhere"))


@flow
async def commands_of_all_kinds():
    return {
        "resume": await after("human", Command(resume={"deep": [1, None]})),
        "resume by nothing": await after("human", Command(resume=None)),
        "resume with an update": await after("human", Command(resume="yes", update={"steps": ["updated"]})),
        "goto many": await after("human", Command(goto=["s1", "pay"])),
        "goto with input": await after("human", Command(goto={"node": "pay", "input": {"steps": ["sent"]}})),
        "update alone": await after("chat", Command(update={"steps": ["updated"]})),
        "update by pairs": await after("chat", Command(update=[["steps", ["pairs"]]])),
        "resume what does not wait": await after("chat", Command(resume="nobody asked")),
    }


@flow
async def runs_are_listed():
    known = await thread()
    for name in "abc":
        await client.runs.wait(known, "chat", input=INPUT, metadata={"name": name})
    await refused(client.runs.wait(known, "fails", input=INPUT, raise_error=False))

    async def names(**by):
        return [one["metadata"].get("name") for one in await client.runs.list(known, **by)]

    return {
        "all": await names(),
        "page": await names(limit=2, offset=1),
        "success": await names(status="success"),
        "error": await names(status="error"),
        "picked": await client.runs.list(known, limit=1, select=["run_id", "status", "metadata"]),
        "of nobody": await refused(client.runs.list(NOBODY)),
        "wrong status": (await asked("GET", f"/threads/{known}/runs?status=lost"))[0],
        "wrong limit": (await asked("GET", f"/threads/{known}/runs?limit=many"))[0],
    }


@flow
async def threads_of_runs():
    """What a run does about a thread that is not there, and what a run without one leaves."""
    made = NOBODY[:-1] + "5"
    rejected = await refused(client.runs.create(NOBODY, "chat", input=INPUT, if_not_exists="reject"))
    created = await client.runs.create(made, "chat", input=INPUT, if_not_exists="create", metadata={"m": 1})
    status = await ended(made, created["run_id"])
    row = await client.threads.get(made)
    await client.threads.delete(made)
    left = {}
    for name, more in (("by default", {}), ("delete", {"on_completion": "delete"}), ("keep", {"on_completion": "keep"})):
        run = await client.runs.create(None, "chat", input=INPUT, **more)
        await refused(client.runs.join(run["thread_id"], run["run_id"]))
        await asyncio.sleep(0.5)
        kept = await refused(client.threads.get(run["thread_id"]))
        left[name] = kept["status"] if isinstance(kept, dict) else kept
    stopped = await client.runs.wait(None, "human", input=INPUT)
    return rejected, status, row["metadata"], row["status"], left, stopped


@flow
async def configs():
    """Config, context and metadata of a run as its graph sees them."""
    known = await thread()
    sent = {"configurable": {"tone": "kind", "n": 9007199254740993}, "tags": ["t"], "recursion_limit": 7, "metadata": {"in": "config"}}
    seen = await client.runs.wait(known, "shows", input=INPUT, config=sent, metadata={"of": "run"})
    plain = await client.runs.wait(known, "shows", input=INPUT)
    manners = [
        (await client.runs.wait(None, "manners", input=INPUT, **more))["steps"]
        for more in ({}, {"context": {"tone": "kind"}}, {"config": {"configurable": {"volume": 2}}})
    ]
    by_context = await client.runs.wait(known, "shows", input=INPUT, context={"tone": "warm"})
    both = await refused(client.runs.wait(known, "shows", input=INPUT, config={"configurable": {"a": 1}}, context={"tone": "x"}))
    unknown = await refused(client.runs.wait(known, "shows", input=INPUT, context={"strange": 1}, raise_error=False))
    limited = await refused(client.runs.wait(known, "steps", input=INPUT, config={"recursion_limit": 2}, raise_error=False))
    return seen["steps"], plain["steps"][-1:], manners, by_context["steps"][-1:], both if isinstance(both, list) else both["steps"][-1:], unknown if isinstance(unknown, list) else sorted(unknown), limited, (await client.threads.get(known))["status"]


@flow
async def ends_of_runs_refused():
    """Cancelling and deleting what has ended, what has not begun, and what was never there."""
    known, run_id = await started("steps")
    queued = await client.runs.create(known, "pair", input=INPUT)
    waiting = await refused(client.runs.cancel(known, queued["run_id"], wait=True))
    gone = await refused(client.runs.get(known, queued["run_id"]))
    gone = gone["status"] if isinstance(gone, dict) else gone
    at_once = await refused(client.runs.cancel(known, run_id))
    end = await ended(known, run_id)
    again = await refused(client.runs.cancel(known, run_id))
    nobody = [await refused(client.runs.cancel(known, NOBODY)), await refused(client.runs.delete(known, NOBODY))]
    later = await client.runs.create(known, "chat", input=INPUT, after_seconds=600)
    cancelled = await refused(client.runs.cancel(known, later["run_id"], wait=True, action="rollback"))
    return waiting, gone, at_once, end, again, nobody, cancelled


@flow
async def a_live_run_is_deleted():
    known, run_id = await started("steps")
    return await refused(client.runs.delete(known, run_id))


@flow
async def a_queue_of_runs():
    """Runs of one thread go one after another, in the order in which they came."""
    known = await thread()
    runs = [await client.runs.create(known, "pair", input={**INPUT, "steps": [name]}) for name in "abcd"]
    ends = [await ended(known, run["run_id"]) for run in runs]
    return ends, (await client.threads.get_state(known))["values"]["steps"]


@flow
async def errors_of_graphs():
    known = await thread()
    run = await client.runs.create(known, "fails", input=INPUT)
    joined = await refused(client.runs.join(known, run["run_id"]))
    row, state = await client.threads.get(known), await client.threads.get_state(known)
    raised = None
    try:
        await client.runs.wait(known, "fails", input=INPUT)
    except Exception as error:
        raised = [type(error).__name__, str(error)]
    inner = await refused(client.runs.wait(await thread(), "nested_fails", input=INPUT, raise_error=False))
    mended = await client.runs.wait(known, "chat", input=INPUT)
    return joined, row["status"], row["error"], state["next"], state["tasks"], raised, inner, mended["steps"], (await client.threads.get(known))["status"]
