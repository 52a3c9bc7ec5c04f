"""`measure.py <rounds> <url> <url>…`: asks servers in turn by the official SDK, and prints seconds by server as JSON."""

import asyncio
import json
import sys
import time

from langgraph_sdk import get_client

INPUT = {"messages": [{"role": "user", "content": "hey"}], "count": 0}
EVENTS = 3_000
AT_ONCE = 40


async def timed(work):
    begin = time.perf_counter()
    await work
    return time.perf_counter() - begin


async def new_thread(client):
    return (await client.threads.create())["thread_id"]


async def waits(client):
    thread = await new_thread(client)
    return await timed(client.runs.wait(thread, "talker", input=INPUT))


async def first_token(client):
    thread = await new_thread(client)
    begin = time.perf_counter()
    found = None
    async for part in client.runs.stream(thread, "talker", input=INPUT, stream_mode=["messages-tuple"]):
        if found is None and part.event.startswith("messages"):
            found = time.perf_counter() - begin
    return found


async def events(client):
    thread = await new_thread(client)
    begin, count = time.perf_counter(), 0
    async for part in client.runs.stream(thread, "noisy", input={"messages": [], "count": EVENTS}, stream_mode=["custom"]):
        count += part.event == "custom"
    if count != EVENTS:
        raise RuntimeError(f"{count} of {EVENTS} events")
    return time.perf_counter() - begin


async def at_once(url):
    # Its own connections: of many that idle, one would be used while its server closes it.
    async with get_client(url=url) as client:
        return await timed(asyncio.gather(*(waits(client) for _ in range(AT_ONCE))))


async def main(rounds, urls):
    clients = [get_client(url=url) for url in urls]
    seen = [{"wait": [], "first": [], "events": [], "at_once": []} for _ in urls]
    for number in range(-2, rounds):
        for url, client, of in zip(urls, clients, seen, strict=True):
            measured = {"wait": await waits(client), "first": await first_token(client)}
            if number % 5 == 0 or number < 0:
                measured |= {"events": await events(client), "at_once": await at_once(url)}
            for name, seconds in measured.items():
                if number >= 0:  # Before: to warm up.
                    of[name].append(seconds)
    print(json.dumps(seen))


asyncio.run(main(int(sys.argv[1]), sys.argv[2:]))
