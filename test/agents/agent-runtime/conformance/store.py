"""Items of the store."""

from asking import INPUT, asked, client, flow, refused


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
async def items_found():
    for number in range(5):
        value = {"n": number, "kind": "even" if number % 2 == 0 else "odd", "deep": {"n": number}}
        await client.store.put_item(("found", "by", f"k{number % 2}"), f"key{number}", value)
    await client.store.put_item(("found",), "root", {"n": 9})

    async def keys(*prefix, **by):
        found = await refused(client.store.search_items(prefix, **by))
        return sorted(item["key"] for item in found["items"]) if isinstance(found, dict) else found

    async def spaces(**by):
        return sorted((await client.store.list_namespaces(**by))["namespaces"])

    searches = {
        "all": await keys("found"),
        "by equality": await keys("found", filter={"kind": "odd"}),
        "by order": await keys("found", filter={"n": {"$gte": 3}}),
        "by both": await keys("found", filter={"n": {"$gt": 0, "$lt": 3}, "kind": {"$ne": "odd"}}),
        "by depth": await keys("found", filter={"deep": {"n": 1}}),
        "within": await keys("found", "by", "k1"),
        "page": len(await keys("found", limit=2, offset=4)),
        "none": await keys("nothing"),
    }
    lists = {
        "prefix": await spaces(prefix=["found"]),
        "suffix": await spaces(suffix=["k1"]),
        "depth": await spaces(prefix=["found"], max_depth=2),
        "page": len(await spaces(prefix=["found"], limit=1, offset=1)),
        "wild": await spaces(prefix=["found", "*", "k0"]),
    }
    before = await client.store.get_item(("found",), "root")
    await client.store.put_item(("found",), "root", {"n": 10}, index=False)
    after = await client.store.get_item(("found",), "root")
    again = await refused(client.store.delete_item(("found",), "never there"))
    return searches, lists, before["value"], after["value"], again


@flow
async def items_refused():
    return {
        "no key": (await asked("GET", "/store/items?namespace=a"))[0],
        "absent": await refused(client.store.get_item(("never",), "there")),
        "value": (await asked("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": "text"}))[0],
        "empty label": (await asked("PUT", "/store/items", {"namespace": [""], "key": "k", "value": {}}))[0],
        "no namespace": (await asked("PUT", "/store/items", {"namespace": [], "key": "k", "value": {}}))[0],
        "limit": (await asked("POST", "/store/items/search", {"namespace_prefix": ["a"], "limit": "many"}))[0],
    }
