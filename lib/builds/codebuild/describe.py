"""Runs inside an image build, without network: describe.py SOURCE REQUEST OUT.

Has the agent ecosystem's own tool write the Dockerfile of a project, as its build command would, with the contexts that it needs beside
the first; or writes the reason why it cannot.
"""

import json
import os
import sys
from pathlib import Path

from langgraph_cli import config as tool


# Behind this line the tool takes the installers out of the image.
LAST_PART = "\n# -- Ensure user deps"


def with_commands(dockerfile, request):
    """The tool has no place for them in Python projects: there they come when all else is installed, in the project's folder."""
    runs = [f"RUN {request[name]}" for name in ("install", "build") if request[name]]
    if not runs:
        return dockerfile
    folder = [line for line in dockerfile.splitlines() if line.startswith("WORKDIR ")][-1:]
    head, mark, tail = dockerfile.partition(LAST_PART)
    return "\n".join([head, *folder, *runs, ""]) + mark + tail


def describe(source, request):
    path = source / request["config"]
    config = tool.validate_config_file(path)
    is_script = bool(config.get("node_version")) and not config.get("python_version")
    extra = {"build_context": str(source / request["context"])} if is_script else {}
    dockerfile, contexts = tool.config_to_docker(
        config_path=path,
        config=config,
        install_command=request["install"] if is_script else None,
        build_command=request["build"] if is_script else None,
        **extra,
    )
    relative = {name: os.path.relpath(folder, source) for name, folder in contexts.items()}
    return dockerfile if is_script else with_commands(dockerfile, request), relative


def main(source, request, out):
    Path(out).mkdir()
    try:
        dockerfile, contexts = describe(Path(source).resolve(), json.loads(Path(request).read_text()))
    except Exception as error:
        reason = getattr(error, "message", None) or str(error) or type(error).__name__
        Path(out, "reason").write_text(reason.replace(source + "/", "")[:500])
        return
    Path(out, "Dockerfile").write_text(dockerfile)
    Path(out, "contexts.json").write_text(json.dumps(contexts))


main(*sys.argv[1:])
