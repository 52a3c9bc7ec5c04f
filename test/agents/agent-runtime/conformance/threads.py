"""Threads: their life, and how they are found."""

from asking import INPUT, NOBODY, URL, asked, client, flow, refused, started, thread
import httpx


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
async def threads_found():
    """By metadata, values, status and ids, sorted by everything, in pages."""
    tag = {"flow": "threads_found"}
    ids = [f"{digit * 8}-0000-4000-8000-000000000000" for digit in "321"]
    names = {known: name for name, known in zip("cba", ids, strict=True)}
    for known in ids:
        await client.threads.create(thread_id=known, metadata={**tag, "name": names[known]}, graph_id="chat")
    await client.runs.wait(ids[0], "chat", input={**INPUT, "steps": [names[ids[0]]]})
    await client.runs.wait(ids[1], "human", input=INPUT)
    await refused(client.runs.wait(ids[2], "fails", input=INPUT, raise_error=False))

    async def found(**by):
        return [names[one["thread_id"]] for one in await client.threads.search(metadata=tag, **by)]

    statuses = {status: await found(status=status) for status in ("idle", "busy", "interrupted", "error")}
    by_values = [await found(values={"steps": ["c", "talk"]}), await found(values={"steps": ["none"]})]
    orders = {
        f"{by} {order}": await found(sort_by=by, sort_order=order)
        for by in ("thread_id", "status", "created_at", "updated_at", "state_updated_at")
        for order in ("asc", "desc")
    }
    orders["none"] = await found()
    pages = [await found(limit=2), await found(limit=2, offset=2), await found(limit=2, offset=5)]
    some = [await found(ids=ids[:2]), await found(ids=[NOBODY])]
    picked = await client.threads.search(metadata=tag, ids=ids[:1], select=["thread_id", "metadata", "values"])
    counts = [
        await client.threads.count(metadata=tag),
        await client.threads.count(metadata=tag, status="interrupted"),
        await client.threads.count(metadata={**tag, "name": "a"}),
        await client.threads.count(metadata=tag, values={"steps": ["c", "talk"]}),
        await client.threads.count(metadata={"flow": {"nested": 1}}),
    ]
    async with httpx.AsyncClient(base_url=URL) as http:
        page = await http.post("/threads/search", json={"metadata": tag, "limit": 2})
    heads = {name: page.headers.get(name) for name in ("x-pagination-total", "x-pagination-next")}
    for known in ids:
        await client.threads.delete(known)
    return statuses, by_values, orders, pages, some, picked, counts, heads


@flow
async def thread_metadata():
    known = await thread(metadata={"keep": {"deep": [1]}, "change": 1}, graph_id="chat")
    changed = await client.threads.update(known, metadata={"change": None, "new": "ü"})
    nothing = await client.threads.update(known, metadata={"more": 1}, return_minimal=True)
    await client.runs.wait(known, "chat", input=INPUT, metadata={"of": "the run"})
    return changed["metadata"], nothing, (await client.threads.get(known))["metadata"]


@flow
async def a_busy_thread_is_deleted():
    known, run_id = await started("steps")
    answer = await refused(client.threads.delete(known))
    left = await refused(client.runs.get(known, run_id))
    return answer, left, await refused(client.threads.get(known)), await refused(client.threads.delete(NOBODY))


@flow
async def threads_refused():
    return {
        "id": await asked("POST", "/threads", {"thread_id": "nope"}),
        "metadata": await asked("POST", "/threads", {"metadata": "nope"}),
        "if_exists": await asked("POST", "/threads", {"if_exists": "maybe"}),
        "status": await asked("POST", "/threads/search", {"status": "lost"}),
        "sort_by": await asked("POST", "/threads/search", {"sort_by": "colour"}),
        "limit": await asked("POST", "/threads/search", {"limit": 0}),
        "offset": await asked("POST", "/threads/search", {"offset": -1}),
        "ids": await asked("POST", "/threads/search", {"ids": ["nope"]}),
        "patch": await asked("PATCH", f"/threads/{NOBODY}", {"metadata": {}}),
        "other case": await asked("GET", f"/threads/{NOBODY.upper()}"),
    }
