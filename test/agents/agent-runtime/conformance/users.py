"""The project's own authentication and authorization: two people, each with threads and items of their own."""

import uuid

import httpx
from asking import INPUT, URL, flow, refused, said
from langgraph_sdk import get_client

CHAT = str(uuid.uuid5(uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), "chat"))
ann = get_client(url=URL, headers={"authorization": "Bearer ann"})
bob = get_client(url=URL, headers={"authorization": "Bearer bob"})


async def bare(method, path, body=None, headers=None):
    async with httpx.AsyncClient(base_url=URL) as http:
        response = await http.request(method, path, json=body, headers=headers)
    return [response.status_code, response.headers.get("www-authenticate"), said(response) if response.status_code >= 400 else None]


@flow
async def strangers():
    return {
        "threads": await bare("POST", "/threads/search", {}),
        "runs": await bare("POST", "/runs/wait", {"assistant_id": "chat"}),
        "store": await bare("GET", "/store/items?namespace=a&key=b"),
        "assistants": await bare("POST", "/assistants/search", {}, {"authorization": "Basic ann"}),
        "ok": await bare("GET", "/ok"),
        "info": await bare("GET", "/info"),
    }


@flow
async def threads_of_people():
    made = await ann.threads.create(metadata={"topic": "a", "owner": "somebody else"})
    known = made["thread_id"]
    run = await ann.runs.create(known, "chat", input=INPUT)
    await ann.runs.join(known, run["run_id"])
    others = {
        "get": await refused(bob.threads.get(known)),
        "update": await refused(bob.threads.update(known, metadata={"owner": "bob"})),
        "delete": await refused(bob.threads.delete(known)),
        "state": await refused(bob.threads.get_state(known)),
        "history": await refused(bob.threads.get_history(known)),
        "update_state": await refused(bob.threads.update_state(known, {"steps": ["x"]})),
        "runs": await refused(bob.runs.list(known)),
        "run": await refused(bob.runs.get(known, run["run_id"])),
        "join": await refused(bob.runs.join(known, run["run_id"])),
        "cancel": await refused(bob.runs.cancel(known, run["run_id"])),
        "delete run": await refused(bob.runs.delete(known, run["run_id"])),
        "create": await refused(bob.runs.create(known, "chat", input=INPUT)),
        "create with": await refused(bob.runs.create(known, "chat", input=INPUT, if_not_exists="create")),
        "again": await refused(bob.threads.create(thread_id=known)),
        "do nothing": await refused(bob.threads.create(thread_id=known, if_exists="do_nothing")),
    }
    searches = [
        len(await ann.threads.search(metadata={"topic": "a"})),
        len(await bob.threads.search(metadata={"topic": "a"})),
        len(await bob.threads.search(metadata={"owner": "ann"})),
        await ann.threads.count(metadata={"topic": "a"}),
        await bob.threads.count(),
    ]
    mine = await ann.threads.update(known, metadata={"owner": "bob", "topic": "b"})
    await ann.threads.delete(known)
    return made["metadata"], others, searches, mine["metadata"]


@flow
async def who_asks():
    steps = (await ann.runs.wait(None, "whoami", input=INPUT))["steps"]
    known = (await ann.threads.create())["thread_id"]
    created = await ann.runs.wait(known, "whoami", input=INPUT)
    return steps, created["steps"], (await ann.threads.get(known))["metadata"]


async def changed(name):
    """What becomes of a run whose request the project's own handler may change."""
    person = get_client(url=URL, headers={"authorization": f"Bearer {name}"})
    known = (await person.threads.create())["thread_id"]
    run = await person.runs.create(known, "chat", input=INPUT, config={"configurable": {"tone": "sent"}})
    await person.runs.join(known, run["run_id"])
    state = await person.threads.get_state(known)
    kept = (await person.runs.get(known, run["run_id"]))["kwargs"]
    names = ("input", "command", "interrupt_before", "stream_mode")
    return {
        "kwargs": {name: kept[name] for name in names},
        "tone": kept["config"]["configurable"].get("tone"),
        "steps": state["values"].get("steps"),
        "next": state["next"],
    }


@flow
async def runs_changed_by_auth():
    return {name: await changed(name) for name in ("ann", "kim", "lea", "max")}


@flow
async def items_of_people():
    await ann.store.put_item(("notes",), "a", {"text": "mine"})
    mine = await ann.store.get_item(("notes",), "a")
    spaces = await ann.store.list_namespaces(), await bob.store.list_namespaces()
    return {
        "mine": mine["namespace"],
        "theirs": await refused(bob.store.get_item(("notes",), "a")),
        "search": len((await ann.store.search_items(("notes",)))["items"]),
        "search by bob": len((await bob.store.search_items(("notes",)))["items"]),
        "namespaces": spaces,
    }


@flow
async def assistants_denied():
    return {
        "search": await refused(ann.assistants.search()),
        "get": await refused(ann.assistants.get(CHAT)),
        "graph": await refused(ann.assistants.get_graph(CHAT)),
        "run all the same": (await ann.runs.wait(None, "chat", input=INPUT))["steps"],
    }
