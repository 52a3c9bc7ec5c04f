"""What is refused, and how."""

import json

import httpx
from asking import NOBODY, URL, flow


@flow
async def refusals():
    async with httpx.AsyncClient(base_url=URL) as http:
        answers = {}
        for method, path, body in (
            ("GET", f"/threads/{NOBODY}", None),
            ("GET", "/threads/nope", None),
            ("GET", f"/threads/{NOBODY}/runs/{NOBODY}", None),
            ("GET", f"/assistants/{NOBODY}", None),
            ("GET", "/assistants/nope", None),
            ("POST", f"/threads/{NOBODY}/runs", {"assistant_id": "chat"}),
            ("POST", "/runs/wait", {"assistant_id": NOBODY}),
            ("POST", "/runs/wait", {"input": {}}),
            ("POST", "/threads/search", {"limit": "many"}),
            ("POST", "/runs/wait", {"assistant_id": "chat", "stream_mode": "loud"}),
            ("PUT", "/store/items", {"namespace": ["a.b"], "key": "k", "value": {}}),
            ("GET", "/nothing", None),
            ("GET", "/ok", None),
        ):
            response = await http.request(method, path, json=body)
            answers[f"{method} {path} {json.dumps(body)}"] = response.status_code
        return answers
