import {
  AddTagsCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DeleteRuleCommand,
  DeleteTargetGroupCommand,
  ModifyRuleCommand,
  ModifyTargetGroupAttributesCommand,
  RemoveTagsCommand,
  type Rule,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { AGENT_HEADER, agentValue, TRIAL_HEADER } from '../../contract/agent-front.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { Agent, NewServers } from '../managed.ts';
import { type Aws, isNamed, unless } from './clients.ts';
import { type Account, type AccountSet, allRules, targetOf } from './look.ts';
import { placeTags, tags, targetGroupName } from './names.ts';
import { CONTAINER_PORT } from './options.ts';
import { itemsOf } from './secret-items.ts';

/** A new server counts as ready when it has answered once, and one that was ill when it has twice in a row. */
const HEALTH = { intervalSeconds: 5, timeoutSeconds: 4, healthy: 2, unhealthy: 3 } as const;
/** The most that the balancer waits for what a server still answers. */
const DEREGISTRATION_SECONDS_MAX = 3600;
const PRIORITY_MAX = 50_000;
/** Somebody else may have taken a priority since they were read. */
const TRIES = 5;

const tagList = (given: Record<string, string>) =>
  Object.entries(given).map(([Key, Value]) => ({ Key, Value }));

/** Makes the target group of a set, unless it is there. Gives its ARN. */
export async function ensureTargetGroup(
  aws: Aws,
  place: DeploymentRef,
  set: NewServers,
  known: AccountSet | undefined,
): Promise<string> {
  const noted = {
    ...placeTags(aws.options, place, set.key),
    [tags.revision]: set.revisionId,
    [tags.secrets]: String(itemsOf(set.environment).length),
    [tags.cpu]: String(set.cpu),
    [tags.memoryMb]: String(set.memoryMb),
    [tags.platform]: set.platform,
    [tags.min]: String(set.min),
    [tags.max]: String(set.max),
    ...(set.served && { [tags.served]: 'true' }),
    // Servers that are there go on printing for the revision that they were started for.
    ...(known?.service?.status !== 'ACTIVE' && { [tags.startedFor]: set.revisionId }),
  };
  if (known !== undefined) {
    await aws.elb.send(new AddTagsCommand({ ResourceArns: [known.targetGroupArn], Tags: tagList(noted) }));
    return known.targetGroupArn;
  }
  const { TargetGroups } = await aws.elb.send(
    new CreateTargetGroupCommand({
      Name: targetGroupName(place, set.key),
      Protocol: 'HTTP',
      Port: CONTAINER_PORT,
      VpcId: aws.options.vpcId,
      TargetType: 'ip',
      HealthCheckPath: set.health.path,
      HealthCheckIntervalSeconds: HEALTH.intervalSeconds,
      HealthCheckTimeoutSeconds: HEALTH.timeoutSeconds,
      HealthyThresholdCount: HEALTH.healthy,
      UnhealthyThresholdCount: HEALTH.unhealthy,
      Matcher: { HttpCode: set.health.statuses },
      Tags: tagList(noted),
    }),
  );
  const arn = TargetGroups?.[0]?.TargetGroupArn;
  if (arn === undefined) throw new Error('the balancer made a target group without an ARN');
  return arn;
}

/** How long a server that leaves still answers what it has begun: when its set shrinks, or AWS replaces it. */
export const setDeregistration = async (
  { elb }: Aws,
  TargetGroupArn: string,
  seconds: number,
): Promise<void> => {
  const Value = String(Math.min(DEREGISTRATION_SECONDS_MAX, Math.ceil(seconds)));
  const Attributes = [{ Key: 'deregistration_delay.timeout_seconds', Value }];
  await elb.send(new ModifyTargetGroupAttributesCommand({ TargetGroupArn, Attributes }));
};

/** Until a rule leads to it, a target group is neither checked nor taken by a service. */
export async function ensureTrialRule(
  aws: Aws,
  targetGroupArn: string,
  { account, key }: { account: Account; key: string },
): Promise<void> {
  if (account.sets.find((set) => set.key === key)?.trialRule !== undefined) return;
  await createRule(aws, account, {
    header: TRIAL_HEADER,
    value: `${key}-${crypto.randomUUID()}`,
    targetGroupArn,
  });
}

/** Sends the deployment's requests to a target group, in one write. */
export async function sendTraffic(
  aws: Aws,
  targetGroupArn: string,
  { account, agent }: { account: Account; agent: Agent },
): Promise<void> {
  const [first, ...doubles] = account.production;
  const Actions = [{ Type: 'forward' as const, TargetGroupArn: targetGroupArn }];
  if (first === undefined)
    await createRule(aws, account, {
      header: AGENT_HEADER,
      value: agentValue(agent),
      targetGroupArn,
    });
  else await aws.elb.send(new ModifyRuleCommand({ RuleArn: first.RuleArn, Actions }));
  await deleteRules(aws, doubles);
}

type NewRule = { header: string; value: string; targetGroupArn: string };

async function createRule(aws: Aws, { priorities }: Account, rule: NewRule): Promise<void> {
  const { elb, options } = aws;
  const taken = new Set(priorities);
  for (let tries = 1; ; tries++) {
    const Priority = freePriority(taken);
    const command = new CreateRuleCommand({
      ListenerArn: options.listenerArn,
      Priority,
      Conditions: [
        { Field: 'http-header', HttpHeaderConfig: { HttpHeaderName: rule.header, Values: [rule.value] } },
      ],
      Actions: [{ Type: 'forward', TargetGroupArn: rule.targetGroupArn }],
    });
    try {
      await elb.send(command);
      return;
    } catch (error) {
      if (!isNamed(error, 'PriorityInUse', 'PriorityInUseException') || tries >= TRIES) throw error;
      // It may be this very rule, made by a call whose answer was lost.
      if ((await allRules(aws)).some((one) => isAs(one, rule))) return;
      taken.add(String(Priority));
    }
  }
}

/** Any, so that drivers of several deployments seldom choose the same: the rules exclude each other anyway. */
function freePriority(taken: ReadonlySet<string>): number {
  for (;;) {
    const priority = 1 + Math.floor(Math.random() * PRIORITY_MAX);
    if (!taken.has(String(priority))) return priority;
  }
}

const isAs = (one: Rule, { header, value, targetGroupArn }: NewRule): boolean =>
  targetOf(one) === targetGroupArn &&
  (one.Conditions ?? []).some(
    ({ HttpHeaderConfig: found }) => found?.HttpHeaderName === header && found.Values?.[0] === value,
  );

export async function deleteRules({ elb }: Aws, rules: readonly Rule[]): Promise<void> {
  for (const { RuleArn } of rules)
    await unless(elb.send(new DeleteRuleCommand({ RuleArn })), 'RuleNotFound', 'RuleNotFoundException');
}

export async function deleteTargetGroup({ elb }: Aws, TargetGroupArn: string): Promise<void> {
  await elb.send(new DeleteTargetGroupCommand({ TargetGroupArn }));
}

/** Notes something of a set; undefined takes a note back. */
export async function note(
  { elb }: Aws,
  targetGroupArn: string,
  notes: Record<string, string | undefined>,
): Promise<void> {
  const ResourceArns = [targetGroupArn];
  const given = Object.entries(notes).flatMap(([Key, Value]) =>
    Value === undefined ? [] : [{ Key, Value }],
  );
  const gone = Object.entries(notes).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (given.length > 0) await elb.send(new AddTagsCommand({ ResourceArns, Tags: given }));
  if (gone.length > 0) await elb.send(new RemoveTagsCommand({ ResourceArns, TagKeys: gone }));
}
