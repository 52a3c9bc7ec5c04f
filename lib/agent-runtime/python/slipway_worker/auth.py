"""A project's own authentication and authorization: an `Auth` of langgraph_sdk, named in langgraph.json."""

import inspect
import traceback
from types import SimpleNamespace
from typing import Any

from .documents import dumps


class AuthUser(dict[str, Any]):
    """A user as handlers and graphs see it: a dict whose items are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class RefusedError(Exception):
    """A request that the project refuses, with the status of the answer."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.headers = status, headers or {}


class Authorizer:
    def __init__(self, auth: Any) -> None:
        self._auth = auth

    async def authenticate(self, request: dict[str, Any]) -> dict[str, Any]:
        """Who sent a request. Raises RefusedError."""
        handler = self._auth._authenticate_handler
        if handler is None:
            return _user("anonymous")
        headers = {name.encode(): value.encode() for name, value in request["headers"].items()}
        known = {**request, "headers": headers, "authorization": request["headers"].get("authorization")}
        known["request"] = SimpleNamespace(**{**request, "url": SimpleNamespace(path=request["path"])})
        names = inspect.signature(handler).parameters
        return _user(await _called(handler, {name: known[name] for name in names if name in known}, 401))

    async def authorize(self, resource: str, action: str, value: Any, user: Any) -> dict[str, Any]:
        """
        The value as a handler has left it, and the filters that it answered. Of a run's `kwargs` only what it has
        changed there: what it has not stays the text that was sent. Raises RefusedError.
        """
        handler = self._handler(resource, action)
        # A handler changes the object that it is given, as in LangGraph's own server: another in its place counts
        # for nothing.
        kwargs = value.get("kwargs") if (resource, action) == ("threads", "create_run") else None
        if handler is None:
            return {"value": value if kwargs is None else {**value, "kwargs": {}}, "filters": None}
        before = {name: dumps(member) for name, member in (kwargs or {}).items()}
        from langgraph_sdk.auth.types import AuthContext

        who = AuthUser(user)
        configurable = ((kwargs or {}).get("config") or {}).get("configurable") or {}
        if "langgraph_auth_user" in configurable:
            configurable["langgraph_auth_user"] = AuthUser(configurable["langgraph_auth_user"])
        context = AuthContext(
            permissions=who.get("permissions") or [], user=who, resource=resource, action=action  # type: ignore[arg-type]
        )
        answer = await _called(handler, {"ctx": context, "value": value}, 403)
        if answer is False:
            raise RefusedError(403, "Forbidden")
        if kwargs is not None:
            changed = {name: member for name, member in kwargs.items() if dumps(member) != before.get(name)}
            value = {**value, "kwargs": {**changed, **{name: None for name in before if name not in kwargs}}}
        return {"value": value, "filters": answer if isinstance(answer, dict) else None}

    def _handler(self, resource: str, action: str) -> Any:
        """The most specific handler, as the documentation of `Auth` has it."""
        handlers = self._auth._handlers
        for key in ((resource, action), (resource, "*"), ("*", action), ("*", "*")):
            if found := handlers.get(key):
                return found[-1]
        return self._auth._global_handlers[-1] if self._auth._global_handlers else None


async def _called(handler: Any, arguments: dict[str, Any], status: int) -> Any:
    try:
        answer = handler(**arguments)
        return await answer if inspect.isawaitable(answer) else answer
    except AssertionError as error:
        raise RefusedError(status, str(error) or "Refused") from error
    except Exception as error:
        # By its form: the handler may raise the exception of langgraph_sdk or of Starlette.
        if isinstance(code := getattr(error, "status_code", None), int):
            raise RefusedError(code, str(getattr(error, "detail", error)), getattr(error, "headers", None)) from error
        traceback.print_exc()
        raise RefusedError(500, f"the project's auth has failed: {type(error).__name__}") from error


def _user(answer: Any) -> dict[str, Any]:
    if isinstance(answer, str):
        answer = {"identity": answer}
    elif not isinstance(answer, dict):
        names = ("identity", "display_name", "permissions", "is_authenticated")
        fields = answer.model_dump() if hasattr(answer, "model_dump") else dict(getattr(answer, "__dict__", {}))
        answer = {**fields, **{name: getattr(answer, name) for name in names if hasattr(answer, name)}}
    if not isinstance(answer.get("identity"), str):
        raise RefusedError(500, "the project's auth answers no identity: return a text or {'identity': …}")
    return {"is_authenticated": True, "display_name": answer["identity"], "permissions": [], **answer}
