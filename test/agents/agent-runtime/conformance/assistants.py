"""Assistants of the graphs."""

from asking import asked, client, flow, refused


@flow
async def assistants():
    found = await client.assistants.search(limit=100)
    ids = {one["graph_id"]: one["assistant_id"] for one in found}
    drawn = await client.assistants.get_graph(ids["human"])
    xray = await client.assistants.get_graph(ids["nested"], xray=True)
    schemas = await client.assistants.get_schemas(ids["chat"])
    one = await client.assistants.search(graph_id="chat")
    count = await client.assistants.count()
    return sorted(ids), one, await client.assistants.get(ids["chat"]), drawn, xray, schemas, count


@flow
async def assistants_found():
    async def graphs(**by):
        return [one["graph_id"] for one in await client.assistants.search(**by)]

    one = (await client.assistants.search(graph_id="chat"))[0]["assistant_id"]
    return {
        "sorted": await graphs(sort_by="graph_id", sort_order="asc", limit=3),
        "back": await graphs(sort_by="graph_id", sort_order="desc", limit=3, offset=1),
        "metadata": await graphs(metadata={"created_by": "system"}, graph_id="human"),
        "none": await graphs(metadata={"created_by": "nobody"}),
        "name": await graphs(name="human"),
        "picked": await client.assistants.search(graph_id="chat", select=["assistant_id", "graph_id"]),
        "counts": [await client.assistants.count(graph_id="chat"), len(await client.assistants.search(metadata={"created_by": "nobody"}))],
        "by name": (await client.runs.wait(None, one, input={"steps": [], "messages": []}))["steps"],
    }


@flow
async def subgraphs():
    ids = {one["graph_id"]: one["assistant_id"] for one in await client.assistants.search(limit=100)}
    flat = await client.assistants.get_subgraphs(ids["nested"])
    deep = await client.assistants.get_subgraphs(ids["deep"], recurse=True)
    named = await client.assistants.get_subgraphs(ids["deep"], namespace="outer", recurse=True)
    shallow = await client.assistants.get_graph(ids["deep"], xray=1)
    return sorted(flat), sorted(deep), sorted(named), sorted(node["id"] for node in shallow["nodes"])


@flow
async def schemas():
    ids = {one["graph_id"]: one["assistant_id"] for one in await client.assistants.search(limit=100)}
    return {name: await client.assistants.get_schemas(ids[name]) for name in ("human", "shows")}


@flow
async def assistants_refused():
    return {
        "graph": await asked("GET", "/assistants/nope/graph"),
        "xray": (await asked("GET", "/assistants/chat/graph?xray=maybe"))[0],
        "sort": (await asked("POST", "/assistants/search", {"sort_by": "colour"}))[0],
        "limit": (await asked("POST", "/assistants/search", {"limit": 0}))[0],
    }
