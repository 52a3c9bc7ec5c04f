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
    return {"identity": name, "permissions": ["read"], "team": f"team of {name}"}


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: dict):
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)
    return owner


@auth.on.threads.update
async def readers_change_nothing(ctx: Auth.types.AuthContext, value: dict):
    return False if ctx.user.identity == "reader" else {"owner": ctx.user.identity}


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: dict):
    value["namespace"] = [ctx.user.identity, *(value.get("namespace") or [])]


@auth.on.assistants
async def no_assistants(ctx: Auth.types.AuthContext, value: dict):
    return False
