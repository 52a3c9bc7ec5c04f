"""Asks a server by the official SDK, and masks what differs from one time to the next."""

import asyncio
import json
import re
import sys

import httpx
from langgraph_sdk import get_client

URL = sys.argv[1]
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
    """The answer, or the status and what is said of a request that is refused."""
    try:
        return await request
    except Exception as error:
        response = getattr(error, "response", None)
        if response is None:
            return [type(error).__name__]
        return [response.status_code, said(response)]


def said(response):
    """Where the reason of a refusal is; every server has words of its own."""
    try:
        answer = response.json()
    except ValueError:
        return response.text
    return {name: type(value).__name__ for name, value in answer.items()} if isinstance(answer, dict) else answer


async def asked(method, path, body=None, **more):
    """A request that the SDK does not make."""
    async with httpx.AsyncClient(base_url=URL, timeout=30) as http:
        response = await http.request(method, path, json=body, **more)
    if response.status_code >= 400:
        return [response.status_code, said(response)]
    return [response.status_code, response.json() if response.content else None]


async def ended(thread_id, run_id):
    await client.runs.join(thread_id, run_id)
    return (await client.runs.get(thread_id, run_id))["status"]


async def started(graph, **more):
    """A thread and a run on it that has begun."""
    known = await thread()
    run = await client.runs.create(known, graph, input=INPUT, **more)
    while (await client.runs.get(known, run["run_id"]))["status"] == "pending":
        await asyncio.sleep(0.05)
    return known, run["run_id"]
