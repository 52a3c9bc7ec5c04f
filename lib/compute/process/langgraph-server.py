"""Starts the agent server of a Python project: langgraph-server.py MARK ADDRESS ARGUMENT...

It is the development server of the agent's ecosystem, `python -m langgraph_cli ARGUMENT...`, without what is for
development alone. MARK is the file that is made once the server has been built without its routes for that: they
show, empty and start things for anybody who asks. ADDRESS is what the server says of where it is reached.
"""

import os
import runpy
import sys
from urllib.parse import urlsplit

MARK, ADDRESS = sys.argv[1:3]


def without_internal_routes(module):
    def none():
        open(MARK, "w").close()
        return []

    if hasattr(module, "get_internal_routes"):
        module.get_internal_routes = none


def with_address(module):
    # Its own is the port of this start, behind which the project may have set a prefix.
    own = getattr(module, "USER_API_URL", None)
    if own is not None:
        module.USER_API_URL = ADDRESS + urlsplit(own).path.rstrip("/")


CHANGES = {
    "langgraph_runtime_inmem.routes": without_internal_routes,
    "langgraph_api.metadata": with_address,
}


class Changes:
    """Changes some modules right after they are run, before anybody sees them."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        change = CHANGES.get(name)
        if change is None:
            return None
        others = (finder for finder in sys.meta_path if finder is not cls)
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_change(module):
                run(module)
                change(module)

            spec.loader.exec_module = run_and_change
        return spec


def knows_option(option):
    from langgraph_cli.cli import cli

    return any(option in parameter.opts for parameter in cli.commands["dev"].params)


if not getattr(sys.flags, "safe_path", False):
    # As `python -m` has it.
    sys.path[0] = os.getcwd()
sys.meta_path.insert(0, Changes)
sys.argv[1:3] = []
# A node that blocks is slow; that it fails for this is a check of development servers. Old ones have no such check.
if knows_option("--allow-blocking"):
    sys.argv.append("--allow-blocking")
runpy.run_module("langgraph_cli", run_name="__main__", alter_sys=True)
