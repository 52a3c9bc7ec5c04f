import { DescribeServicesCommand, type Service } from '@aws-sdk/client-ecs';
import {
  DescribeAccountLimitsCommand,
  DescribeTagsCommand,
  DescribeTargetHealthCommand,
  paginateDescribeRules,
  paginateDescribeTargetGroups,
  type Rule,
  type TargetGroup,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { AGENT_HEADER } from '../../contract/agent-front.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { HEALTH_PATH } from '../../domain/agent-failure.ts';
import { allTo } from '../../domain/rollout.ts';
import type { BalancerParts, Found, FoundSet } from '../port.ts';
import type { Aws } from './clients.ts';
import { serviceName, tags, targetGroupPrefix } from './names.ts';

/** A set as it lies in the account. */
export type AccountSet = {
  key: string;
  targetGroupArn: string;
  /** Where the balancer asks whether its servers are ready. */
  healthPath: string;
  tags: Readonly<Record<string, string>>;
  service: Service | undefined;
  /** By which requests reach it that try it. */
  trialRule: Rule | undefined;
  /** All that lead to it: one that was made twice, because an answer was lost, is among them. */
  rules: readonly Rule[];
  healthy: number;
};

export type Account = {
  sets: AccountSet[];
  /** Those that send the deployment's requests: the first one does. */
  production: readonly Rule[];
  /** Key of the set that gets them. */
  traffic: string | undefined;
  /** Priorities of rules that are taken, by whomever. */
  priorities: ReadonlySet<string>;
  inUse: BalancerParts;
};

/** DescribeServices and DescribeTags take so many names. */
const SERVICES_A_CALL = 10;
const TAGGED_A_CALL = 20;

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

/** Everything of a deployment that is there, strongly consistent as far as AWS is. */
export async function survey(aws: Aws, place: DeploymentRef): Promise<Account> {
  const [groups, rules] = await Promise.all([groupsOf(aws, place), allRules(aws)]);
  const names = groups.map(({ key }) => serviceName(place, key));
  const [services, tagsByArn, healthy] = await Promise.all([
    servicesNamed(aws, names),
    tagsOf(
      aws,
      groups.map(({ arn }) => arn),
    ),
    Promise.all(groups.map(({ arn }) => healthyIn(aws, arn))),
  ]);
  const sets = groups.map(({ key, arn, healthPath }, index): AccountSet => {
    const own = rules.filter((rule) => targetOf(rule) === arn);
    return {
      key,
      targetGroupArn: arn,
      healthPath,
      tags: tagsByArn.get(arn) ?? {},
      service: services.get(serviceName(place, key)),
      trialRule: own.find((rule) => !isProduction(rule)),
      rules: own,
      healthy: healthy[index] ?? 0,
    };
  });
  const arns = new Map(groups.map(({ key, arn }) => [arn, key]));
  const production = rules
    .filter((one) => isProduction(one) && arns.has(targetOf(one) ?? ''))
    .toSorted((one, other) => Number(one.Priority) - Number(other.Priority));
  const [first] = production;
  const priorities = new Set(rules.flatMap(({ Priority }) => Priority ?? []));
  const traffic = first && arns.get(targetOf(first) ?? '');
  return { sets, production, traffic, priorities, inUse: inUseBy(rules) };
}

/** As AWS counts for its quotas: target groups that a rule leads to, and all rules but the default one. */
function inUseBy(rules: readonly Rule[]): BalancerParts {
  const own = rules.filter(({ IsDefault: isDefault }) => isDefault !== true);
  return { targetGroups: new Set(own.flatMap((rule) => targetOf(rule) ?? [])).size, rules: own.length };
}

const QUOTAS = {
  targetGroups: 'target-groups-per-application-load-balancer',
  rules: 'rules-per-application-load-balancer',
} as const;
/** What an account has that never asked for more. */
const QUOTA_DEFAULT = 100;

/**
 * How many of them a balancer of this account may have. No rollout waits for the answer: where there is none,
 * it is what nearly every account has.
 */
export async function quotasOf({ elb }: Aws): Promise<BalancerParts> {
  const answer = await elb.send(new DescribeAccountLimitsCommand({})).catch(() => undefined);
  const Limits = answer?.Limits ?? [];
  const quota = (name: string): number =>
    Number(Limits.find((limit) => limit.Name === name)?.Max ?? QUOTA_DEFAULT);
  return { targetGroups: quota(QUOTAS.targetGroups), rules: quota(QUOTAS.rules) };
}

/** As the port gives it. */
export const foundInAccount = ({ sets, traffic, inUse }: Account): Found => ({
  sets: sets.map(foundSet),
  traffic: traffic === undefined ? [] : allTo(traffic),
  inUse,
});

function foundSet({ key, tags: own, service, trialRule, healthy }: AccountSet): FoundSet {
  const retiredAt = own[tags.retiredAt];
  return {
    key,
    wanted: service?.desiredCount ?? 0,
    ready: healthy,
    served: own[tags.served] === 'true',
    revisionId: own[tags.revision] ?? '',
    startedFor: own[tags.startedFor] ?? '',
    retiredAt: retiredAt === undefined ? undefined : Number(retiredAt),
    isLeaving: own[tags.leaving] === 'true',
    isWhole: service?.status === 'ACTIVE' && trialRule !== undefined && (!scales(own) || isScaled(own)),
  };
}

const scales = (own: AccountSet['tags']): boolean => Number(own[tags.max] ?? 1) > Number(own[tags.min] ?? 1);
const isScaled = (own: AccountSet['tags']): boolean => own[tags.scaled] === 'true';

/** Of all in the region, for one that has no rule yet belongs to no balancer. */
export async function groupsOf(
  { elb }: Pick<Aws, 'elb'>,
  place: DeploymentRef,
): Promise<{ key: string; arn: string; healthPath: string }[]> {
  const prefix = targetGroupPrefix(place);
  const found: TargetGroup[] = [];
  for await (const { TargetGroups = [] } of paginateDescribeTargetGroups({ client: elb, pageSize: 400 }, {}))
    found.push(...TargetGroups.filter(({ TargetGroupName: name }) => name?.startsWith(prefix)));
  return found.map(
    ({
      TargetGroupName: name = '',
      TargetGroupArn: arn = '',
      HealthCheckPath: healthPath = HEALTH_PATH,
    }) => ({
      key: name.slice(prefix.length),
      arn,
      healthPath,
    }),
  );
}

export async function allRules({ elb, options: { listenerArn: ListenerArn } }: Aws): Promise<Rule[]> {
  const rules: Rule[] = [];
  for await (const { Rules = [] } of paginateDescribeRules({ client: elb, pageSize: 400 }, { ListenerArn }))
    rules.push(...Rules);
  return rules;
}

export const targetOf = ({ Actions = [] }: Rule): string | undefined => Actions[0]?.TargetGroupArn;

const isProduction = ({ Conditions = [] }: Rule): boolean =>
  Conditions.some(({ HttpHeaderConfig: header }) => header?.HttpHeaderName === AGENT_HEADER);

async function servicesNamed(
  { ecs, options: { cluster } }: Aws,
  names: readonly string[],
): Promise<Map<string, Service>> {
  const answers = await Promise.all(
    chunks(names, SERVICES_A_CALL).map((services) =>
      ecs.send(new DescribeServicesCommand({ cluster, services })),
    ),
  );
  // What was deleted is listed as INACTIVE for a while.
  const there = answers
    .flatMap(({ services = [] }) => services)
    .filter(({ status }) => status !== 'INACTIVE');
  return new Map(there.map((service) => [service.serviceName ?? '', service]));
}

/** Whether there is such a service, one that ends included. */
export const isThere = async (aws: Aws, name: string): Promise<boolean> =>
  (await servicesNamed(aws, [name])).size > 0;

export async function tagsOf(
  { elb }: Pick<Aws, 'elb'>,
  arns: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const answers = await Promise.all(
    chunks(arns, TAGGED_A_CALL).map((ResourceArns) => elb.send(new DescribeTagsCommand({ ResourceArns }))),
  );
  const described = answers.flatMap(({ TagDescriptions = [] }) => TagDescriptions);
  return new Map(
    described.map(({ ResourceArn = '', Tags = [] }) => [
      ResourceArn,
      Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])),
    ]),
  );
}

async function healthyIn({ elb }: Aws, TargetGroupArn: string): Promise<number> {
  const { TargetHealthDescriptions = [] } = await elb.send(
    new DescribeTargetHealthCommand({ TargetGroupArn }),
  );
  return TargetHealthDescriptions.filter(({ TargetHealth }) => TargetHealth?.State === 'healthy').length;
}
