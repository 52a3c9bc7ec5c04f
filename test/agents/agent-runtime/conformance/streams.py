"""Streams of runs: all modes, and those who leave or come back."""

import asyncio

import httpx
from asking import INPUT, URL, client, ended, events, flow, flows, refused, started, thread


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


streamed("values_of_subgraphs", "nested_human", stream_mode=["values", "tasks", "checkpoints"], stream_subgraphs=True)
streamed("breakpoint_after", "pair", stream_mode=["values", "updates"], interrupt_after=["s1"])
streamed("error_inside", "nested_fails", stream_mode=["updates", "debug"], stream_subgraphs=True)
streamed("default", "chat")
streamed("fans", "both", stream_mode=["updates", "tasks"])


@flow
async def joins_a_stream():
    """While the run goes on, after its end, and from an event on."""
    answers = {}
    for name, more in (("kept", {"stream_resumable": True}), ("plain", {})):
        known, run_id = await started("steps", stream_mode=["updates", "values"], **more)
        live = await events(client.runs.join_stream(known, run_id, stream_mode="updates", last_event_id="0"))
        after = await events(client.runs.join_stream(known, run_id, stream_mode="updates"))
        answers[name] = [[part["event"] for part in live if part["event"] != "metadata"][-1:], after]
    known, run_id = await started("steps", stream_mode=["updates", "values"], stream_resumable=True)
    await client.runs.join(known, run_id)
    failed, failed_id = await started("fails", stream_mode=["updates", "values"], stream_resumable=True)
    await refused(client.runs.join(failed, failed_id))
    failure = await events(client.runs.join_stream(failed, failed_id, last_event_id="-1", stream_mode=["updates"]))
    whole = await events(client.runs.join_stream(known, run_id, last_event_id="-1"))
    only = await events(client.runs.join_stream(known, run_id, last_event_id="-1", stream_mode=["updates"]))
    return answers, [[part["event"], sorted(part["data"])] for part in whole], [part["event"] for part in only], failure


@flow
async def a_stream_of_a_cancelled_run():
    known, run_id = await started("steps", stream_mode=["updates"])

    async def cancel():
        await asyncio.sleep(0.7)
        await client.runs.cancel(known, run_id)

    cancelling = asyncio.create_task(cancel())
    parts = await events(client.runs.join_stream(known, run_id))
    await cancelling
    return [[part["event"], part["data"]] for part in parts if part["event"] not in ("updates", "metadata")]


@flow
async def goes_away_from_a_wait():
    answers = []
    for path, more in (("wait", {}), ("wait", {"on_disconnect": "cancel"}), ("wait", {"on_disconnect": "continue"})):
        known = await thread()
        body = {"assistant_id": "steps", "input": INPUT, **more}
        try:
            async with httpx.AsyncClient(timeout=1.0) as http:
                await http.post(f"{URL}/threads/{known}/runs/{path}", json=body)
        except httpx.ReadTimeout:
            pass
        run = (await client.runs.list(known))[0]
        answers.append(await ended(known, run["run_id"]))
    for flag in ("1", "0"):
        known, run_id = await started("steps")
        try:
            async with httpx.AsyncClient(timeout=1.0) as http:
                async with http.stream("GET", f"{URL}/threads/{known}/runs/{run_id}/stream?cancel_on_disconnect={flag}"):
                    await asyncio.sleep(0.5)
        except httpx.ReadTimeout:
            pass
        answers.append(await ended(known, run_id))
    return answers


@flow
async def heads_of_answers():
    heads = {}
    async with httpx.AsyncClient(base_url=URL, timeout=30) as http:
        known = await thread()
        for path in (f"/threads/{known}/runs", f"/threads/{known}/runs/stream", f"/threads/{known}/runs/wait", "/runs/stream", "/runs/wait", "/runs"):
            response = await http.post(path, json={"assistant_id": "chat", "input": INPUT})
            names = ("location", "content-location", "content-type")
            heads[path.replace(known, "")] = [response.status_code, *(response.headers.get(name) for name in names)]
    return heads
