"""Starts the emulator with what it lacks for these tests added; emulator-gaps.ts says why.

A build ends when the file BUILDS_FOLDER/<uuid of the build>.json appears; what stands in it is merged into the build's record.
PERMISSIONS_FILE holds for each function what its role grants and what of it was used.
DENIED_FILE, when it is there, holds a function and an action that its role grants and may not do all the same.
FAULT_FILE, when it is there, names a type of resources: the next one of it cannot be made, and the file goes.
"""

import copy
import json
import os
import re

import emulator_compute
from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.core.responses import json_response
from ministack.services import cloudwatch_logs, codebuild, eventbridge, iam, lambda_svc, s3, stepfunctions
from ministack.services.cloudformation import provisioners, stacks

BUILDS_FOLDER = os.environ["BUILDS_FOLDER"]
PERMISSIONS_FILE = os.environ["PERMISSIONS_FILE"]
FAULT_FILE = os.environ["FAULT_FILE"]
DENIED_FILE = os.environ["DENIED_FILE"]
used = {}
start_build = codebuild._start_build
batch_get_builds = codebuild._batch_get_builds
pin_request_origin = app.pin_request_origin
put_events = eventbridge._put_events
pattern_matches = cloudwatch_logs._subscription_pattern_matches
resource_arn = iam_actions.extract_resource_arn
alarm_record = provisioners._cw_metric_alarm_record
enforce = iam_evaluator.enforce
provision_resource = provisioners._provision_resource
update_resource = provisioners._update_resource
provision_at_top = stacks._provision_resource
call_lambda = stepfunctions._call_lambda
attributes = {}
machines_waiting = {}


def start(data):
    """A build runs until somebody ends it, and keeps the environment that it was started with."""
    token = data.get("idempotencyToken")
    for build in codebuild._builds.values():
        if token is not None and build.get("idempotencyToken") == token:
            return json_response({"build": build})
    status, headers, body = start_build(data)
    if status != 200:
        return status, headers, body
    build = codebuild._builds[json.loads(body)["build"]["id"]]
    del build["endTime"]
    build.update(buildStatus="IN_PROGRESS", currentPhase="BUILD", phases=[], idempotencyToken=token)
    build["environment"] = copy.deepcopy(build["environment"])
    variables = {each["name"]: each for each in build["environment"].get("environmentVariables", [])}
    variables.update({each["name"]: each for each in data.get("environmentVariablesOverride", [])})
    build["environment"]["environmentVariables"] = list(variables.values())
    return json_response({"build": build})


def get(data):
    for identifier in data.get("ids", []):
        build = codebuild._builds.get(identifier)
        path = os.path.join(BUILDS_FOLDER, identifier.split(":")[-1] + ".json")
        if build and build["buildStatus"] == "IN_PROGRESS" and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                build.update(json.load(file), currentPhase="COMPLETED")
    return batch_get_builds(data)


def alarm(name, properties):
    """An alarm on a calculation over metrics is kept as one on the first of them."""
    stats = [each["MetricStat"] for each in properties.get("Metrics", []) if "MetricStat" in each]
    if not stats:
        return alarm_record(name, properties)
    first = {key: value for key, value in properties.items() if key != "Metrics"}
    return alarm_record(name, {**first, **stats[0]["Metric"], "Period": stats[0]["Period"], "Statistic": stats[0]["Stat"]})


def resource(service, method, path, headers, body, *rest):
    """An answer to a task is authorised on the state machine that waits for it, what asks for builds on their project."""
    known = emulator_compute.resource_for(service, headers, body)
    if known is not None:
        return known
    found = resource_arn(service, method, path, headers, body, *rest)
    if found != "*":
        return found
    if service == "states" and ".SendTask" in headers.get("x-amz-target", ""):
        return machines_waiting.get(json.loads(body).get("taskToken"), found)
    data = json.loads(body) if service == "codebuild" else {}
    identifiers = data.get("ids") or [data.get("id", "")]
    projects = {codebuild._project_arn(each.split(":")[0]) for each in identifiers if ":" in each}
    return projects.pop() if len(projects) == 1 else found


def authorize(access_key_id, iam_action, service, region, resource_arn="*", service_context=None):
    """Notes each action that a role was let do."""
    context = {**emulator_compute.context_for(service, iam_action, resource_arn), **(service_context or {})}
    role = iam_evaluator._role_name_from_assumed_arn(iam_evaluator.caller_arn())
    # No statement is about such an action.
    asked = iam_action + "Denied" if is_denied(role, iam_action) else iam_action
    denied = enforce(access_key_id, asked, service, region, resource_arn, context)
    if denied is None and role and iam_action not in used.setdefault(role, set()):
        used[role].add(iam_action)
        note_permissions()
    return denied


def is_denied(role, action):
    if not os.path.exists(DENIED_FILE):
        return False
    with open(DENIED_FILE, encoding="utf-8") as file:
        name, denied = file.read().split(" ")
    function = lambda_svc._functions.get(name)
    return action == denied and function is not None and function["config"]["Role"].split("/")[-1] == role


def note_permissions():
    noted = {}
    for function in list(lambda_svc._functions._data.values()):
        role = function["config"]["Role"].split("/")[-1]
        noted[function["config"]["FunctionName"]] = {"granted": sorted(granted_to(role)), "used": sorted(used.get(role, []))}
    with open(PERMISSIONS_FILE + ".tmp", "w", encoding="utf-8") as file:
        json.dump(noted, file)
    os.replace(PERMISSIONS_FILE + ".tmp", PERMISSIONS_FILE)


def granted_to(role):
    actions = set()
    for document in ((iam._roles.get(role) or {}).get("InlinePolicies") or {}).values():
        statements = (json.loads(document) if isinstance(document, str) else document)["Statement"]
        for statement in statements if isinstance(statements, list) else [statements]:
            named = statement["Action"]
            actions.update([named] if isinstance(named, str) else named)
    return actions


def fail_once(resource_type):
    if not os.path.exists(FAULT_FILE):
        return
    with open(FAULT_FILE, encoding="utf-8") as file:
        wanted = file.read()
    if wanted == resource_type:
        os.remove(FAULT_FILE)
        raise RuntimeError("Rate exceeded")


def provision_or_fail(resource_type, logical_id, props, *rest, **named):
    """What a stack that is in no other makes; buckets have their tags."""
    fail_once(resource_type)
    physical_id, attrs = provision_at_top(resource_type, logical_id, props, *rest, **named)
    if resource_type == "AWS::S3::Bucket":
        s3._bucket_tags[physical_id] = {tag["Key"]: tag["Value"] for tag in props.get("Tags", [])}
    return physical_id, attrs


def provision(resource_type, logical_id, props, stack_name, *rest, **named):
    physical_id, attrs = provision_resource(resource_type, logical_id, props, stack_name, *rest, **named)
    attributes[stack_name, logical_id] = attrs
    return physical_id, attrs


def update(resource_type, physical_id, old, new, stack_name, logical_id=None, old_attrs=None):
    """What did not change in a nested stack keeps its attributes."""
    known = old_attrs or attributes.get((stack_name, logical_id))
    physical_id, attrs = update_resource(resource_type, physical_id, old, new, stack_name, logical_id, known)
    attributes[stack_name, logical_id] = attrs
    return physical_id, attrs


def call(function, event):
    """A function that fails fails its task, also one that waits for an answer with a token."""
    note_machine(function, event)
    try:
        return call_lambda(function, event)
    except stepfunctions._ExecutionError as failed:
        token = event.get("token") if isinstance(event, dict) else None
        waiting = stepfunctions._task_tokens.get(token) if token else None
        if waiting is not None and not waiting["event"].is_set():
            waiting["error"] = {"Error": failed.error, "Cause": failed.cause}
            waiting["event"].set()
        raise


def note_machine(function, event):
    """Which state machine waits for the answer with this token: the one that calls the function."""
    token = event.get("token") if isinstance(event, dict) else None
    name = str(function).split(":")[-1]
    for arn in list(stepfunctions._state_machines) if token else []:
        if re.search(rf"\b{re.escape(name)}\b(?!-)", stepfunctions._state_machines[arn]["definition"]):
            machines_waiting[token] = arn


def matches(pattern, message):
    """Whether a line fits a pattern of JSON fields, of which one or the other has to be some text: no other ones are in use."""
    wanted = re.findall(r'\$\.(\w+) = "([^"]*)"', pattern or "")
    if not wanted:
        return pattern_matches(pattern, message)
    try:
        line = json.loads(message)
    except ValueError:
        return False
    return isinstance(line, dict) and any(line.get(name) == text for name, text in wanted)


cloudwatch_logs._subscription_pattern_matches = matches
# Events of services, which here nobody sends but the test.
eventbridge._put_events = lambda data, allow_aws_source=True: put_events(data, allow_aws_source)
iam_actions.extract_resource_arn = resource
iam_evaluator.enforce = authorize
provisioners._cw_metric_alarm_record = alarm
provisioners._provision_resource = provision
provisioners._update_resource = update
stacks._provision_resource = provision_or_fail
codebuild._start_build = start
codebuild._batch_get_builds = get
stepfunctions._call_lambda = call
app.pin_request_origin = lambda address, _secure: pin_request_origin(address, True)
app.main()
