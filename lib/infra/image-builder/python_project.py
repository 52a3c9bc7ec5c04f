"""Runs inside an image build, in the folder of a Python agent with its environment in .venv: python_project.py dependencies | server | seal."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path("/slipway-build")
# Tried together with the server that runs the folder.
DEV_SERVER_VERSION = "0.4.40"


def run(*command):
    print("+", *command, flush=True)
    return subprocess.run(command, check=False).returncode


def must(*command):
    code = run(*command)
    if code != 0:
        sys.exit(code)


def is_locked(folder):
    """Has a lockfile of uv, or belongs to a workspace that has one."""
    above = [one for one in folder.parents if one == ROOT or ROOT in one.parents]
    in_workspace = (
        (one / "uv.lock").exists() and "[tool.uv.workspace]" in (one / "pyproject.toml").read_text()
        for one in above
        if (one / "pyproject.toml").exists()
    )
    return (folder / "uv.lock").exists() or any(in_workspace)


def sync(folder):
    command = ["uv", "sync", "--no-dev", "--inexact", "--project", str(folder)]
    if run(*command, "--locked") != 0:
        print("uv.lock does not fit pyproject.toml, so uv chooses the versions anew", flush=True)
        must(*command)


def local_arguments(path):
    folder = (Path.cwd() / path).resolve()
    if folder != ROOT and ROOT not in folder.parents:
        sys.exit(f"dependency '{path}' leads out of the source")
    if not folder.is_dir():
        sys.exit(f"dependency '{path}' is no folder of the source")
    if (folder / "pyproject.toml").exists() or (folder / "setup.py").exists():
        if not is_locked(folder):
            return ["-e", str(folder)]
        sync(folder)
        return []
    wanted = folder / "requirements.txt"
    return ["-r", str(wanted)] if wanted.exists() else []


def dependencies():
    config = json.loads(Path(Path("/slipway/config").read_text()).read_text(encoding="utf-8-sig"))
    named = config.get("dependencies") or []
    if not named:
        sys.exit('the config file names no dependencies; a Python project needs at least ["."]')
    if config.get("pip_config_file"):
        os.environ["PIP_CONFIG_FILE"] = config["pip_config_file"]
    wanted = [one for path in named if path.startswith(".") for one in local_arguments(path)]
    wanted += [one for one in named if not one.startswith((".", "-"))]
    if wanted:
        must("uv", "pip", "install", *wanted)


def installed():
    found = subprocess.run(["uv", "pip", "list", "--format=json"], check=True, capture_output=True, text=True)
    return {re.sub(r"[-_.]+", "-", one["name"]).lower(): one["version"] for one in json.loads(found.stdout)}


def server():
    packages = installed()
    if "langgraph-cli" in packages and "langgraph-api" in packages:
        return
    wanted = f"langgraph-cli[inmem]=={packages.get('langgraph-cli', DEV_SERVER_VERSION)}"
    print(f"The project does not bring langgraph-cli[inmem], which runs its graphs: adding {wanted}", flush=True)
    must("uv", "pip", "install", wanted)


def seal():
    """Takes the interpreter out and notes where the environment was made, so that another machine can put in its own."""
    for path in Path(".venv/bin").iterdir():
        if re.fullmatch(r"python[\d.]*", path.name) and path.is_symlink():
            path.unlink()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    Path(".venv/slipway.json").write_text(json.dumps({"python": version, "root": str(ROOT)}))


{"dependencies": dependencies, "server": server, "seal": seal}[sys.argv[1]]()
