"""Decides how a source is built, without running anything of it.

plan.py choose JOB SOURCE WORK     finds the project and writes WORK/plan.json, and what its image build needs
plan.py described SOURCE WORK      completes the plan with what the agent's own tool wrote in WORK/described

Prints why the source cannot be built, and exits with 1.
"""

import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# Mirrors of the official images, without the other registry's limits on downloads.
LIBRARY = "public.ecr.aws/docker/library"
# A project without this file says by its Dockerfile or start script what it is.
CONFIG_DEFAULT = "langgraph.json"
NODE_DEFAULT = "24"
PYTHON_DEFAULT = "3.12"
# The images that are chosen here, not by a project: what a tag stands for can be changed by others. Renew them for their security fixes.
PINNED = {
    "node:24-bookworm": "sha256:3d27e5c11e5786e309ec3e03f93ae536eb36e6e5eb3714d5eb3300a36157add0",
    "python:3.12-bookworm": "sha256:dbbe4ceb97851e2e5fa83798b239811f871cb743b259ba3563737349f6bcfaa0",
    "python:3.13-slim-bookworm": "sha256:01f42367a0a94ad4bc17111776fd66e3500c1d87c15bbd6055b7371d39c124fb",
}
PYTHON_OLDEST = (3, 11)
LANGGRAPH_CLI = "langgraph-cli==0.4.40"
UV = "uv==0.13.9"
JAVASCRIPT = re.compile(r"\.[cm]?[jt]sx?$")

# /slipway holds the commands and this builder's scripts; nothing of them is written into the text of a Dockerfile.
STEP = "RUN --mount=type=bind,from=slipway,target=/slipway sh /slipway/run.sh"

SOURCE_STAGE = f"""FROM {{base}} AS build
{{tools}}COPY . /slipway-build
{STEP} install
{STEP} build
{STEP} seal
"""
FOLDER_END = "FROM scratch\nCOPY --from=build /slipway-build /\n"
SERVER_END = """ENV NODE_ENV=production PORT=8000 HOST=0.0.0.0
EXPOSE 8000
CMD ["sh", "-c", "cd /slipway-project && exec npm start"]
"""


def image(name):
    return f"{LIBRARY}/{name}" + (f"@{PINNED[name]}" if name in PINNED else "")


DESCRIBE = f"""FROM {image("python:3.13-slim-bookworm")} AS describe
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore {LANGGRAPH_CLI}
COPY describe.py request.json /
RUN --network=none --mount=type=bind,from=agent,target=/agent python /describe.py /agent /request.json /out
FROM scratch
COPY --from=describe /out /
"""


class Refused(Exception):
    pass


def is_inside(root, path):
    return path == root or path.startswith(root + os.sep)


def refuse_control_characters(path, what):
    """A line break in a path would begin another line of whatever holds a path a line."""
    if any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in path):
        raise Refused(f"{what} has a control character in its name")


def find_config(root, path):
    """The folder of the config file, and the file: both inside the source, also when links are followed. Only one at the default path may be missing."""
    config = os.path.normpath(os.path.join(root, path))
    folder = os.path.realpath(os.path.dirname(config))
    real = os.path.realpath(config)
    if config == root or not all(is_inside(root, one) for one in (config, folder, real)):
        raise Refused(f"Config path '{path}' leads out of the source")
    refuse_control_characters(folder, f"The folder of config path '{path}'")
    if not os.path.isdir(folder) or (path != CONFIG_DEFAULT and not os.path.isfile(real)):
        what = "is not a file" if os.path.exists(real) else "does not exist in the source"
        raise Refused(f"Config file '{path}' {what}")
    return folder, real if os.path.isfile(real) else None


def read_json(path, name):
    try:
        with open(path, encoding="utf-8-sig") as file:
            parsed = json.load(file)
    except json.JSONDecodeError as error:
        raise Refused(f"{name} is not valid JSON at line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError:
        raise Refused(f"{name} is not valid JSON: it is not UTF-8") from None
    except RecursionError:
        raise Refused(f"{name} is nested too deeply") from None
    if not isinstance(parsed, dict):
        raise Refused(f"{name} is not a JSON object")
    return parsed


def own_file(root, folder, name):
    """A file of the project, unless it is a link that leads out."""
    path = os.path.realpath(os.path.join(folder, name))
    return path if os.path.isfile(path) and is_inside(root, path) else None


def language_of(config, name):
    graphs = config.get("graphs")
    if not isinstance(graphs, dict) or not graphs:
        raise Refused(f"{name}: graphs names no graph")
    said = [graph.get("path") if isinstance(graph, dict) else graph for graph in graphs.values()]
    if not all(isinstance(one, str) and ":" in one for one in said):
        raise Refused(f"{name}: each of graphs must look like './file.ts:export' (a file, a colon and what it exports)")
    found = {"javascript" if JAVASCRIPT.search(one.rpartition(":")[0]) else "python" for one in said}
    return found.pop() if len(found) == 1 else "mixed"


def version(config, field, pattern, default, name):
    said = config.get(field)
    if said is None:
        return default
    found = re.fullmatch(pattern, said) if isinstance(said, str) else None
    if found is None:
        raise Refused(f'{name}: {field} must be a version number as text, such as "{default}"')
    return found[1]


def base_of(language, config, name):
    if language != "python":
        node = version(config, "node_version", r"(\d{1,3})(?:\.\d{1,3}){0,2}", NODE_DEFAULT, name)
        return image(f"node:{node}-bookworm"), ""
    python = version(config, "python_version", r"(\d\.\d{1,2})(?:\.\d{1,2})?", PYTHON_DEFAULT, name)
    if tuple(int(part) for part in python.split(".")) < PYTHON_OLDEST:
        raise Refused(f"{name}: python_version {python}: the agent server needs Python 3.11 or later")
    return image(f"python:{python}-bookworm"), f"RUN pip install --no-cache-dir --root-user-action=ignore {UV}\n"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_source_build(work, dockerfile, facts):
    """The folder that an image build sees as /slipway, with its Dockerfile; the project's .dockerignore has no say in it."""
    folder = os.path.join(work, "folder")
    os.mkdir(folder)
    write(os.path.join(folder, "Dockerfile"), dockerfile)
    write(os.path.join(folder, "Dockerfile.dockerignore"), "")
    for name in ("run.sh", "python_project.py"):
        shutil.copy(os.path.join(HERE, name), folder)
    for name, text in facts.items():
        write(os.path.join(folder, name), text or "")
    return folder


def plan_folder(project, work, facts):
    language, config, name = project["language"], project["config"], project["name"]
    if language == "mixed":
        raise Refused(f"{name} has graphs in Python and in JavaScript; one agent server runs one language, so deploy them separately")
    if config.get("dockerfile_lines"):
        raise Refused(f"{name}: dockerfile_lines change a container image, and this build makes none: a machine runs the folder itself")
    base, tools = base_of(language, config, name)
    write_source_build(work, SOURCE_STAGE.format(base=base, tools=tools) + FOLDER_END, {**facts, "language": language})
    return {"kind": "folder"}


def plan_server(root, folder, work, facts):
    package = own_file(root, folder, "package.json")
    scripts = read_json(package, "package.json").get("scripts") if package else None
    if not isinstance(scripts, dict) or not scripts.get("start"):
        raise Refused(
            "There is nothing to make an image of: neither a Dockerfile, nor a config with graphs, nor a start script in package.json"
        )
    base, tools = base_of("plain", {}, "")
    built = write_source_build(work, SOURCE_STAGE.format(base=base, tools=tools) + SERVER_END, {**facts, "language": "plain"})
    return {"kind": "server", "dockerfile": f"{built}/Dockerfile", "context": root, "contexts": {"slipway": built}}


def plan_agent(root, folder, project, work, job):
    """Its Dockerfile is written later, by the agent's own tool. A workspace is installed from the root of the source."""
    script = project["language"] == "javascript"
    workspace = script and folder != root and own_file(root, root, "package.json") is not None
    describe = os.path.join(work, "describe")
    os.mkdir(describe)
    shutil.copy(os.path.join(HERE, "describe.py"), describe)
    write(os.path.join(describe, "Dockerfile"), DESCRIBE)
    request = {
        "config": os.path.relpath(project["path"], root),
        "context": "." if workspace else os.path.relpath(folder, root),
        "install": job.get("installCommand"),
        "build": job.get("buildCommand"),
    }
    write(os.path.join(describe, "request.json"), json.dumps(request))
    context = root if workspace else folder
    return {"kind": "langgraph", "dockerfile": f"{work}/described/Dockerfile", "context": context, "contexts": {}}


def choose(job_file, source, work):
    root = os.path.realpath(source)
    job = read_json(job_file, "The job")
    folder, path = find_config(root, job["configPath"])
    name = os.path.basename(job["configPath"])
    config = read_json(path, name) if path and name.endswith(".json") else {}
    is_agent = config.get("graphs") is not None
    project = {"path": path, "name": name, "config": config, "language": language_of(config, name) if is_agent else "plain"}
    facts = {
        "project": os.path.relpath(folder, root),
        "config": name,
        "install-command": job.get("installCommand"),
        "build-command": job.get("buildCommand"),
    }
    dockerfile = own_file(root, folder, "Dockerfile")
    if job["output"] == "folder":
        plan = plan_folder(project, work, facts)
    elif dockerfile is not None:
        plan = {"kind": "dockerfile", "dockerfile": dockerfile, "context": folder, "contexts": {}, "keepHistory": True}
    elif is_agent:
        plan = plan_agent(root, folder, project, work, job)
    else:
        plan = plan_server(root, folder, work, facts)
    write(os.path.join(work, "plan.json"), json.dumps(plan))


def described(source, work):
    """The tool ran on what a user wrote, so what it made is checked: further contexts are folders of the source."""
    root = os.path.realpath(source)
    made = os.path.join(work, "described")
    reason = os.path.join(made, "reason")
    if os.path.isfile(reason):
        with open(reason, encoding="utf-8") as file:
            raise Refused(f"The config file cannot be used: {file.read()}")
    plan = read_json(os.path.join(work, "plan.json"), "The plan")
    for name, path in read_json(os.path.join(made, "contexts.json"), "What the agent's tool made").items():
        folder = os.path.realpath(os.path.join(root, path))
        if not is_inside(root, folder) or not os.path.isdir(folder):
            raise Refused(f"The config file's dependency '{path}' leads out of the source")
        refuse_control_characters(folder, f"The config file's dependency '{path}'")
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            raise Refused(f"The folder of the config file's dependency '{path}' needs a plainer name")
        plan["contexts"][name] = folder
    write(os.path.join(work, "plan.json"), json.dumps(plan))


try:
    {"choose": choose, "described": described}[sys.argv[1]](*sys.argv[2:])
except Refused as refused:
    print(refused)
    sys.exit(1)
