"""python conformance <url> <file> [auth]: every flow of the API by the official SDK, with ids and times masked."""

import asyncio
import json
import sys
import time

from asking import flows, masked

FILE = sys.argv[2]
if sys.argv[3:] == ["auth"]:
    import users  # noqa: F401
else:
    import assistants  # noqa: F401
    import refusals  # noqa: F401
    import runs  # noqa: F401
    import states  # noqa: F401
    import store  # noqa: F401
    import streams  # noqa: F401
    import threads  # noqa: F401


async def main():
    results = {}
    for name, run in flows.items():
        began = time.monotonic()
        try:
            results[name] = masked(await asyncio.wait_for(run(), 120))
        except Exception as error:
            response = getattr(error, "response", None)
            status = getattr(response, "status_code", None)
            results[name] = masked({"failed": type(error).__name__, "status": status, "message": str(error)[:300]})
        print(f"{name:32s} {time.monotonic() - began:5.1f} s", flush=True)
    with open(FILE, "w") as file:
        json.dump(results, file, indent=1, sort_keys=True)


asyncio.run(main())
