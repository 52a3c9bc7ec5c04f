"""conformance.py <url> <file>: every flow of the first slice by the official SDK, with ids and times masked."""

import asyncio
import json
import re
import sys
import time

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.schema import Command

URL, FILE = sys.argv[1:3]
client = get_client(url=URL)
flows = {}
INPUT = {"steps": [], "messages": [{"role": "user", "content": "hey"}]}
NOBODY = "00000000-0000-4000-8000-000000000000"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
MASKS = (
    (rf"lc_run--{UUID}", "<message>"),
    (UUID, "<id>"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)", "<time>"),
    (r'"[0-9a-f]{32}"', '"<hash>"'),
)


def flow(run):
    flows[run.__name__] = run
    return run


def masked(value):
    text = json.dumps(value, sort_keys=True, default=str)
    for pattern, mask in MASKS:
        text = re.sub(pattern, mask, text)
    return json.loads(text)


async def thread(**more):
    return (await client.threads.create(**more))["thread_id"]


async def events(stream):
    return [{"event": part.event, "data": part.data} async for part in stream]


async def refused(request):
    """The status and the answer of what must be refused."""
    try:
        return await request
    except httpx.HTTPStatusError as error:
        return [error.response.status_code, error.response.json()]
    except Exception as error:
        response = getattr(error, "response", None)
        return [getattr(response, "status_code", type(error).__name__)]


async def ended(thread_id, run_id):
    await client.runs.join(thread_id, run_id)
    return (await client.runs.get(thread_id, run_id))["status"]


@flow
async def thread_life():
    made = await client.threads.create(metadata={"a": 1})
    known = made["thread_id"]
    again = await client.threads.create(thread_id=known, if_exists="do_nothing")
    twice = await refused(client.threads.create(thread_id=known))
    patched = await client.threads.update(known, metadata={"b": 2})
    found = await client.threads.search(metadata={"a": 1, "b": 2}, ids=[known])
    counted = await client.threads.count(metadata={"a": 1, "none": 1})
    await client.threads.delete(known)
    gone = await refused(client.threads.get(known))
    return made, again, twice[0], patched["metadata"], sorted(found[0]), counted, gone[0]


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


def streamed(name, graph, **more):
    async def run():
        return await events(client.runs.stream(await thread(), graph, input=INPUT, **more))

    flows[f"stream_{name}"] = run


for mode in ("values", "updates", "messages-tuple", "messages", "custom", "debug", "tasks", "checkpoints"):
    streamed(mode, "chat", stream_mode=[mode])
streamed("several", "chat", stream_mode=["values", "updates", "messages-tuple"])
streamed("subgraphs", "nested", stream_mode=["values", "updates", "messages-tuple", "custom"], stream_subgraphs=True)
streamed("without_subgraphs", "nested", stream_mode=["values", "updates", "messages-tuple", "custom"])
streamed("interrupt", "human", stream_mode=["values", "updates"])
streamed("breakpoint", "chat", stream_mode=["values", "updates"], interrupt_before=["talk"])
streamed("context", "chat", stream_mode=["custom"], context={"tone": "kind"})
streamed("factory", "made", stream_mode=["updates"], config={"configurable": {"node": "other"}})
streamed("error", "fails", stream_mode=["updates"])


@flow
async def stream_events():
    parts = await events(client.runs.stream(await thread(), "chat", input=INPUT, stream_mode=["events"]))
    return [[part["event"], part["data"].get("event"), part["data"].get("name")] for part in parts]


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
async def comes_back_to_a_stream():
    known, lines, last = await thread(), 0, None
    body = {"assistant_id": "steps", "input": INPUT, "stream_mode": ["updates"], "stream_resumable": True}
    async with httpx.AsyncClient(timeout=30) as http:
        async with http.stream("POST", f"{URL}/threads/{known}/runs/stream", json=body) as response:
            run_id = response.headers["content-location"].split("/")[-1]
            has_location = "location" in response.headers
            async for line in response.aiter_lines():
                last = line[3:].strip() if line.startswith("id:") else last
                lines += line.startswith("data:")
                if lines == 4 and line == "":
                    break
    stream = client.runs.join_stream(known, run_id, last_event_id=last, stream_mode=["updates"])
    return has_location, [[part.event, list(part.data)] async for part in stream]


@flow
async def goes_away():
    answers = []
    for more in ({}, {"on_disconnect": "cancel"}, {"on_disconnect": "continue"}):
        known = await thread()
        body = {"assistant_id": "steps", "input": INPUT, "stream_mode": ["updates"], **more}
        async with httpx.AsyncClient(timeout=30) as http:
            async with http.stream("POST", f"{URL}/threads/{known}/runs/stream", json=body) as response:
                run_id = response.headers["content-location"].split("/")[-1]
                async for line in response.aiter_lines():
                    if line.startswith("event: updates"):
                        break
        answers.append(await ended(known, run_id))
    return answers


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
async def assistants():
    found = await client.assistants.search()
    ids = {one["graph_id"]: one["assistant_id"] for one in found}
    drawn = await client.assistants.get_graph(ids["human"])
    xray = await client.assistants.get_graph(ids["nested"], xray=True)
    schemas = await client.assistants.get_schemas(ids["chat"])
    one = await client.assistants.search(graph_id="chat")
    count = await client.assistants.count()
    return sorted(ids), one, await client.assistants.get(ids["chat"]), drawn, xray, schemas, count


@flow
async def store():
    space = ("conformance", "notes")
    await client.store.delete_item(space, "a")
    await client.store.put_item(space, "a", {"n": 1, "tags": ["x"]})
    await client.store.put_item(space, "b", {"n": 2})
    got = await client.store.get_item(space, "a")
    searched = await client.store.search_items(space[:1], filter={"n": 2})
    spaces = await client.store.list_namespaces(prefix=["conformance"])
    await client.store.delete_item(space, "a")
    gone = await refused(client.store.get_item(space, "a"))
    steps = (await client.runs.wait(None, "remembers", input=INPUT))["steps"]
    return got, searched, spaces, gone, steps


@flow
async def refusals():
    async with httpx.AsyncClient(base_url=URL) as http:
        answers = {}
        for method, path, body in (
            ("GET", f"/threads/{NOBODY}", None),
            ("GET", "/threads/nope", None),
            ("GET", f"/threads/{NOBODY}/runs/{NOBODY}", None),
            ("GET", f"/assistants/{NOBODY}", None),
            ("GET", "/assistants/nope", None),
            ("POST", f"/threads/{NOBODY}/runs", {"assistant_id": "chat"}),
            ("POST", "/runs/wait", {"assistant_id": NOBODY}),
            ("POST", "/runs/wait", {"input": {}}),
            ("POST", "/threads/search", {"limit": "many"}),
            ("POST", "/runs/wait", {"assistant_id": "chat", "stream_mode": "loud"}),
            ("PUT", "/store/items", {"namespace": ["a.b"], "key": "k", "value": {}}),
            ("GET", "/nothing", None),
            ("GET", "/ok", None),
        ):
            response = await http.request(method, path, json=body)
            answers[f"{method} {path} {json.dumps(body)}"] = response.status_code
        return answers


async def main():
    results = {}
    for name, run in flows.items():
        began = time.monotonic()
        try:
            results[name] = masked(await asyncio.wait_for(run(), 120))
        except Exception as error:
            response = getattr(error, "response", None)
            status = getattr(response, "status_code", None)
            results[name] = masked({"failed": type(error).__name__, "status": status, "message": str(error)[:300]})
        print(f"{name:32s} {time.monotonic() - began:5.1f} s", flush=True)
    with open(FILE, "w") as file:
        json.dump(results, file, indent=1, sort_keys=True)


asyncio.run(main())
