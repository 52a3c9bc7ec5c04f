"""What the emulator lacks for servers behind a balancer: it refuses what AWS refuses, checks health, sends events of ECS, scales on paper, and has the front. emulator-gaps.ts says why."""

import contextvars
import http.client
import json
import sys
import time
import types
import uuid
from urllib.parse import parse_qs

import emulator_containers  # noqa: F401 - stands for Docker
from ministack import app
from ministack.core import iam_actions, router
from ministack.core.responses import error_response_json, get_account_id, get_region, json_response
from ministack.services import alb, cloudfront, ec2, ecs, eventbridge
from ministack.services.cloudformation import provisioners

SIZES = {"256": (512, 2048), "512": (1024, 4096), "1024": (2048, 8192), "2048": (4096, 16384), "4096": (8192, 30720), "8192": (16384, 61440), "16384": (32768, 122880)}
TARGET_GROUPS_MAX = 100
first_answers = {}
scalers = {}
asked_tags = contextvars.ContextVar("asked_tags", default={})
asked_cluster = contextvars.ContextVar("asked_cluster", default="")


def targets_of(rule):
    return {action.get("TargetGroupArn") for action in rule.get("Actions") or []}


def in_use(arn):
    return any(arn in targets_of(rule) for rule in list(alb._rules.values()))


# ---- the balancer ----
create_group, delete_group, create_rule, modify_rule = alb._create_tg, alb._delete_tg, alb._create_rule, alb._modify_rule


def new_group(params):
    name = alb._p(params, "Name")
    if len(name) > 32:
        return alb._error("ValidationError", f"Target group name '{name}' cannot be longer than '32' characters")
    return create_group(params)


def gone_group(params):
    arn = alb._p(params, "TargetGroupArn")
    if in_use(arn):
        return alb._error("ResourceInUse", f"Target group '{arn}' is currently in use by a listener or a rule")
    return delete_group(params)


def rule_problem(params):
    wanted = {action.get("TargetGroupArn") for action in alb._parse_actions(params, "Actions")} - {None}
    unknown = [arn for arn in wanted if arn not in alb._tgs]
    if unknown:
        return alb._error("TargetGroupNotFound", f"Target group '{unknown[0]}' not found")
    used = {arn for rule in list(alb._rules.values()) for arn in targets_of(rule)} - {None}
    if len(used | wanted) > TARGET_GROUPS_MAX:
        return alb._error("TooManyUniqueTargetGroupsPerLoadBalancer", "You have reached the maximum number of unique target groups")
    return None


def new_rule(params):
    listener, priority = alb._p(params, "ListenerArn"), alb._p(params, "Priority")
    if any(rule["ListenerArn"] == listener and rule["Priority"] == priority for rule in list(alb._rules.values())):
        return alb._error("PriorityInUse", f"Priority '{priority}' is currently in use")
    return rule_problem(params) or create_rule(params)


def changed_rule(params):
    return rule_problem(params) or modify_rule(params)


def state_of(group, target):
    """As a balancer sees it: healthy after so many good answers in a row, and not checked unless a rule leads there."""
    arn, port = group["TargetGroupArn"], int(target.get("Port") or group["Port"])
    if not in_use(arn):
        return "unused", "Target.NotInUse", "Target group is not configured to receive traffic from the load balancer"
    key = (arn, target["Id"], port)
    try:
        connection = http.client.HTTPConnection(target["Id"], port, timeout=group["HealthCheckTimeoutSeconds"])
        connection.request("GET", group["HealthCheckPath"])
        status = connection.getresponse().status
        connection.close()
    except TimeoutError:
        status = "Request timed out"
    except OSError:
        status = "Health checks failed"
    first, _, last = group["Matcher"]["HttpCode"].partition("-")
    if isinstance(status, int) and int(first) <= status <= int(last or first):
        since = first_answers.setdefault(key, time.monotonic())
        needed = (group["HealthyThresholdCount"] - 1) * group["HealthCheckIntervalSeconds"]
        if time.monotonic() - since >= needed:
            return "healthy", None, None
        return "initial", "Elb.InitialHealthChecks", "Initial health checks in progress"
    first_answers.pop(key, None)
    if isinstance(status, int):
        return "unhealthy", "Target.ResponseCodeMismatch", f"Health checks failed with these codes: [{status}]"
    return "unhealthy", "Target.Timeout" if "timed out" in status else "Target.FailedHealthChecks", status


def health(params):
    group = alb._tgs.get(alb._p(params, "TargetGroupArn"))
    if group is None:
        return alb._error("TargetGroupNotFound", "Target group not found")
    shown = ""
    for target in list(alb._targets.get(group["TargetGroupArn"], [])):
        state, reason, text = state_of(group, target)
        why = f"<Reason>{reason}</Reason><Description>{text}</Description>" if reason else ""
        shown += f"<member><Target><Id>{target['Id']}</Id><Port>{target['Port']}</Port></Target><TargetHealth><State>{state}</State>{why}</TargetHealth></member>"
    return alb._xml(200, "DescribeTargetHealth", f"<TargetHealthDescriptions>{shown}</TargetHealthDescriptions>")


def limits(params):
    names = ("target-groups-per-application-load-balancer", "rules-per-application-load-balancer")
    shown = "".join(f"<member><Name>{name}</Name><Max>100</Max></member>" for name in names)
    return alb._xml(200, "DescribeAccountLimits", f"<Limits>{shown}</Limits>")


alb._ACTION_MAP.update(DescribeAccountLimits=limits, CreateTargetGroup=new_group, DeleteTargetGroup=gone_group, CreateRule=new_rule, ModifyRule=changed_rule, DescribeTargetHealth=health)

# ---- ECS ----
create_service, register, mark_stopped, mark_running = ecs._create_service, ecs._register_task_definition, ecs._mark_task_stopped, ecs._mark_task_running


def new_service(data):
    for balancer in data.get("loadBalancers", []):
        arn = balancer.get("targetGroupArn")
        if arn not in alb._tgs:
            return error_response_json("InvalidParameterException", f"Unable to assume role or target group {arn} does not exist.", 400)
        if not in_use(arn):
            return error_response_json("InvalidParameterException", f"The target group with targetGroupArn {arn} does not have an associated load balancer.", 400)
    for subnet in data.get("networkConfiguration", {}).get("awsvpcConfiguration", {}).get("subnets", []):
        if subnet not in ec2._subnets:
            return error_response_json("InvalidParameterException", f"Error retrieving subnet information for [{subnet}]: The subnet ID '{subnet}' does not exist.", 400)
    return create_service(data)


def new_definition(data):
    low, high = SIZES.get(data.get("cpu"), (1, 0))
    if "FARGATE" in data.get("requiresCompatibilities", []) and not low <= int(data.get("memory", 0)) <= high:
        return error_response_json("ClientException", "No Fargate configuration exists for given values.", 400)
    return register(data)


ecs._ACTION_MAP.update(CreateService=new_service, RegisterTaskDefinition=new_definition)


def send(kind, resources, detail):
    entry = {"Source": "aws.ecs", "DetailType": kind, "Resources": resources, "Detail": json.dumps(detail)}
    eventbridge._put_events({"Entries": [entry]})


def told(task):
    kept = ("taskArn", "clusterArn", "group", "lastStatus", "desiredStatus", "stoppedReason", "stopCode", "startedBy", "version")
    send("ECS Task State Change", [task["taskArn"]], {name: task.get(name) for name in kept})


def stopped(arn, task, *rest, **named):
    done = mark_stopped(arn, task, *rest, **named)
    if done:
        told(task)
    return done


def running(arn, task):
    done = mark_running(arn, task)
    if done:
        told(task)
    return done


ecs._mark_task_stopped, ecs._mark_task_running = stopped, running


# ---- Application Auto Scaling, which the emulator does not have: what was registered is kept, and nothing grows ----
async def scale(method, path, headers, body, query):
    data = json.loads(body or "{}")
    action = headers.get("x-amz-target", "").split(".")[-1]
    name = data.get("ResourceId")
    if action == "RegisterScalableTarget":
        scalers.setdefault(name, {}).update(data)
        return json_response({"ScalableTargetARN": f"arn:aws:application-autoscaling:{get_region()}:{get_account_id()}:scalable-target/0"})
    if name not in scalers and action != "DescribeScalableTargets":
        return error_response_json("ObjectNotFoundException", "No scalable target registered for it", 400)
    if action == "DeregisterScalableTarget":
        scalers.pop(name)
        return json_response({})
    if action == "PutScalingPolicy":
        scalers[name]["policy"] = data["PolicyName"]
        return json_response({"PolicyARN": "arn:aws:autoscaling:::scalingPolicy", "Alarms": []})
    return json_response({"ScalableTargets": list(scalers.values())})


SCALING = "application-autoscaling"
sys.modules["ministack.services.application_autoscaling"] = types.SimpleNamespace(handle_request=scale, reset=scalers.clear, get_state=dict)
router.SERVICE_PATTERNS[SCALING] = {"target_prefixes": ["AnyScaleFrontendService"], "host_patterns": []}
app.SERVICE_HANDLERS[SCALING] = scale
iam_actions.SERVICE_TO_IAM_NAMESPACE[SCALING] = SCALING


# ---- what requests are authorised on ----
def named(kind, cluster, name):
    return name if name.startswith("arn:") else f"arn:aws:ecs:{get_region()}:{get_account_id()}:{kind}/{cluster}/{name}"


def ecs_resource(action, data):
    cluster = (data.get("cluster") or "default").split("/")[-1]
    asked_cluster.set(f"arn:aws:ecs:{get_region()}:{get_account_id()}:cluster/{cluster}")
    if action in ("CreateService", "UpdateService", "DeleteService"):
        return named("service", cluster, data.get("serviceName") or data.get("service", ""))
    if action == "DescribeServices":
        return named("service", cluster, (data.get("services") or [""])[0])
    if action == "DescribeTasks":
        return named("task", cluster, (data.get("tasks") or [""])[0])
    if action == "RegisterTaskDefinition":
        asked_tags.set({tag["key"]: tag["value"] for tag in data.get("tags") or []})
        return f"arn:aws:ecs:{get_region()}:{get_account_id()}:task-definition/{data.get('family')}:1"
    if action == "DeleteTaskDefinitions":
        return (data.get("taskDefinitions") or ["*"])[0]
    return "*"


def balancer_resource(form):
    action = form.get("Action", [""])[0]
    keys = {name[: -len(".Key")]: value[0] for name, value in form.items() if name.startswith("Tags.member.") and name.endswith(".Key")}
    asked_tags.set({key: form.get(f"{place}.Value", [""])[0] for place, key in keys.items()})
    if action == "CreateTargetGroup":
        return f"arn:aws:elasticloadbalancing:{get_region()}:{get_account_id()}:targetgroup/{form['Name'][0]}/0"
    if action.startswith("Describe"):
        return "*"
    for name in ("RuleArn", "TargetGroupArn", "ListenerArn", "ResourceArns.member.1"):
        if name in form:
            return form[name][0]
    return None


def resource_for(service, headers, body):
    """The resource that AWS authorises a request on; None: as the emulator says."""
    action = headers.get("x-amz-target", "").split(".")[-1]
    text = body if isinstance(body, str) else (body or b"").decode("utf-8", "replace")
    if service == "ecs" and action:
        return ecs_resource(action, json.loads(text or "{}"))
    if service == "elasticloadbalancing":
        return balancer_resource(parse_qs(text))
    if service == "logs" and action == "GetLogEvents":
        data = json.loads(text)
        return f"arn:aws:logs:{get_region()}:{get_account_id()}:log-group:{data['logGroupName']}:log-stream:{data['logStreamName']}"
    if service == SCALING:
        return f"arn:aws:application-autoscaling:{get_region()}:{get_account_id()}:scalable-target/0"
    return None


def context_for(service, action, resource):
    """Keys of conditions that the emulator does not know."""
    if service == SCALING:
        return {"application-autoscaling:service-namespace": "ecs"}
    if action == "ecs:ListTasks":
        return {"ecs:cluster": asked_cluster.get()}
    if action == "ecs:RegisterTaskDefinition":
        return {f"aws:requesttag/{key}".lower(): value for key, value in asked_tags.get().items()}
    if service == "elasticloadbalancing":
        there = {f"aws:resourcetag/{tag['Key']}".lower(): tag["Value"] for tag in alb._tags.get(resource, [])}
        return {**there, **{f"aws:requesttag/{key}".lower(): value for key, value in asked_tags.get().items()}}
    return {}


# ---- resources of templates ----
def only_named(prefix):
    return {"create": lambda logical, props, stack, *rest: (f"{prefix}_{uuid.uuid4().hex[:17]}", {}), "delete": lambda *rest: None}


make_balancer = provisioners._elbv2_load_balancer_create


def new_balancer(logical, props, stack, *rest):
    """It lies in the network of its subnets."""
    arn, attributes = make_balancer(logical, props, stack, *rest)
    alb._lbs[arn]["VpcId"] = ec2._subnets[alb._lbs[arn]["Subnets"][0]]["VpcId"]
    return arn, attributes


FRONT_GROUP = "CloudFront-VPCOrigins-Service-SG"


def vpc_origin(logical, props, stack, *rest):
    """CloudFront makes a group of its own in the network of the balancer, unless it is there."""
    identifier = "vo_" + uuid.uuid4().hex[:22]
    config = props["VpcOriginEndpointConfig"]
    cloudfront._vpc_origins[identifier] = {"Id": identifier, "Version": 1, "Config": config}
    network = alb._lbs[config["Arn"]]["VpcId"]
    if not [one for one in ec2._security_groups.values() if one["VpcId"] == network and one["GroupName"] == FRONT_GROUP]:
        provisioners._ec2_sg_create(logical, {"GroupName": FRONT_GROUP, "VpcId": network}, stack)
    return identifier, {"Id": identifier, "Arn": f"arn:aws:cloudfront::{get_account_id()}:vpcorigin/{identifier}", "Status": "Deployed"}


def gone_vpc_origin(identifier, props):
    """It deletes the group with the last origin there, which it cannot while a rule names it."""
    cloudfront._vpc_origins.pop(identifier, None)
    groups = dict(ec2._security_groups.items())
    for group in [each for each, one in groups.items() if one["GroupName"] == FRONT_GROUP]:
        if any(pair.get("GroupId") == group for one in groups.values() for rule in one["IpPermissions"] for pair in rule["UserIdGroupPairs"]):
            raise ValueError(f"resource {group} has a dependent object")
        ec2._security_groups.pop(group)


def ingress(logical, props, stack, *rest):
    """A rule of a group that stands beside it in the template."""
    [rule] = provisioners._ec2_sg_permissions([props])
    rule["SecurityGroupRuleId"] = "sgr-" + uuid.uuid4().hex[:17]
    ec2._security_groups[props["GroupId"]]["IpPermissions"].append(rule)
    return rule["SecurityGroupRuleId"], {"Id": rule["SecurityGroupRuleId"]}


def gone_ingress(identifier, props):
    rules = ec2._security_groups.get(props["GroupId"], {}).get("IpPermissions", [])
    rules[:] = [rule for rule in rules if rule.get("SecurityGroupRuleId") != identifier]


provisioners._RESOURCE_HANDLERS["AWS::ElasticLoadBalancingV2::LoadBalancer"]["create"] = new_balancer
provisioners._RESOURCE_HANDLERS.setdefault("AWS::EC2::SecurityGroupIngress", {"create": ingress, "delete": gone_ingress})
provisioners._RESOURCE_HANDLERS.setdefault("AWS::EC2::SecurityGroupEgress", only_named("sgr"))
provisioners._RESOURCE_HANDLERS.setdefault("AWS::CloudFront::VpcOrigin", {"create": vpc_origin, "delete": gone_vpc_origin})
