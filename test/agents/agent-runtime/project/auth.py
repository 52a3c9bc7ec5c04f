"""Who asks is named by a token; everybody has threads of their own."""

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    scheme, _, name = (authorization or "").partition(" ")
    if scheme != "Bearer" or not name:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Who are you?", headers={"www-authenticate": "Bearer"})
    if name == "odd":
        headers = {"x-odd": "two\nlines", "x-even": "one"}
        raise Auth.exceptions.HTTPException(status_code=99, detail="Odd", headers=headers)
    return {"identity": name, "permissions": ["read"], "team": f"team of {name}", "token": f"token of {name}"}


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: dict):
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)
    return owner


@auth.on.threads.read
async def guests_read_all(ctx: Auth.types.AuthContext, value: dict):
    return None if ctx.user.identity == "guest" else {"owner": ctx.user.identity}


@auth.on.threads.create_run
async def own_runs(ctx: Auth.types.AuthContext, value: dict):
    """Changes what some people's runs are started with."""
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)
    kwargs = value["kwargs"]
    if ctx.user.identity == "kim":
        configurable = kwargs["config"]["configurable"]
        seen = [configurable["langgraph_auth_user"].identity, configurable["langgraph_auth_user_id"], kwargs["stream_mode"]]
        kwargs["input"]["steps"] += [*seen, kwargs["command"], kwargs["durability"] is None]
        configurable["tone"] = "kim's"
        kwargs["interrupt_before"] = ["talk"]
    if ctx.user.identity == "lea":
        value["kwargs"] = {**kwargs, "input": {"steps": ["another"], "messages": []}}
    if ctx.user.identity == "max":
        kwargs["input"], kwargs["command"] = None, {"goto": "talk"}
    return owner


@auth.on.threads.update
async def readers_change_nothing(ctx: Auth.types.AuthContext, value: dict):
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)
    return False if ctx.user.identity == "reader" else owner


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: dict):
    value["namespace"] = [ctx.user.identity, *(value.get("namespace") or [])]


@auth.on.assistants
async def no_assistants(ctx: Auth.types.AuthContext, value: dict):
    return False
