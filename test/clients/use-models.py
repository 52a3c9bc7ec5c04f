"""Reads values with the models of a generated client, and expects that what the models write is the same."""

import importlib
import json
import pkgutil
import sys
import warnings
from datetime import datetime

warnings.simplefilter("error")

import client  # noqa: E402
from client import models  # noqa: E402

for module in pkgutil.walk_packages(client.__path__, "client."):
    importlib.import_module(module.name)

by_name = {name.lower(): getattr(models, name) for name in models.__all__}


def same(value):
    """Times are written in another way than they are read."""
    if isinstance(value, dict):
        return {key: same(member) for key, member in value.items()}
    if isinstance(value, list):
        return [same(member) for member in value]
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) and "T" in value else value
    except ValueError:
        return value


problems = []
with open(sys.argv[1], encoding="utf-8") as file:
    for use in json.load(file):
        model = by_name.get(use["model"].lower())
        if model is None:
            problems.append(f"{use['model']}: there is no model")
            continue
        try:
            got = model.from_dict(use["value"]).to_dict()
            if same(got) != same(use["value"]):
                problems.append(f"{use['of']}: {use['value']} became {got}")
        except Exception as error:
            problems.append(f"{use['of']}: {error!r}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
