import { DescribeServicesCommand, type Service } from '@aws-sdk/client-ecs';
import {
  DescribeTagsCommand,
  DescribeTargetHealthCommand,
  paginateDescribeRules,
  paginateDescribeTargetGroups,
  type Rule,
  type TargetGroup,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { AGENT_HEADER } from '../../../contract/agent-front.ts';
import type { Found, FoundSet, Place } from '../../compute.ts';
import type { Aws } from './clients.ts';
import { serviceName, tags, targetGroupPrefix } from './names.ts';

/** A set as it lies in the account. */
export type Lying = {
  key: string;
  targetGroupArn: string;
  tags: Readonly<Record<string, string>>;
  service: Service | undefined;
  /** Where requests that say for whom they are reach it, and those that say that they try it. */
  trialRule: Rule | undefined;
  healthy: number;
};

export type Account = {
  sets: Lying[];
  /** Sends the deployment's requests. */
  rule: Rule | undefined;
  /** Key of the set that gets them. */
  traffic: string | undefined;
  /** Priorities of rules that are taken, by whomever. */
  priorities: ReadonlySet<string>;
};

/** DescribeServices and DescribeTags take so many names. */
const SERVICES_A_CALL = 10;
const TAGGED_A_CALL = 20;

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

/** Everything of a deployment that is there, strongly consistent as far as AWS is. */
export async function survey(aws: Aws, place: Place): Promise<Account> {
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
  const sets = groups.map(({ key, arn }, index): Lying => {
    const own = rules.filter((rule) => targetOf(rule) === arn);
    return {
      key,
      targetGroupArn: arn,
      tags: tagsByArn.get(arn) ?? {},
      service: services.get(serviceName(place, key)),
      trialRule: own.find((rule) => !isProduction(rule)),
      healthy: healthy[index] ?? 0,
    };
  });
  const arns = new Map(groups.map(({ key, arn }) => [arn, key]));
  const rule = rules.find((one) => isProduction(one) && arns.has(targetOf(one) ?? ''));
  const priorities = new Set(rules.flatMap(({ Priority }) => Priority ?? []));
  return { sets, rule, traffic: rule && arns.get(targetOf(rule) ?? ''), priorities };
}

/** As the port gives it. */
export const foundIn = ({ sets, traffic }: Account): Found => ({ sets: sets.map(foundSet), traffic });

function foundSet({ key, tags: own, service, trialRule, healthy }: Lying): FoundSet {
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
    isWhole: service?.status === 'ACTIVE' && trialRule !== undefined,
  };
}

/** Of all in the region, for one that has no rule yet belongs to no balancer. */
async function groupsOf({ elb }: Aws, place: Place): Promise<{ key: string; arn: string }[]> {
  const prefix = targetGroupPrefix(place);
  const found: TargetGroup[] = [];
  for await (const { TargetGroups = [] } of paginateDescribeTargetGroups({ client: elb, pageSize: 400 }, {}))
    found.push(...TargetGroups.filter(({ TargetGroupName: name }) => name?.startsWith(prefix)));
  return found.map(({ TargetGroupName: name = '', TargetGroupArn: arn = '' }) => ({
    key: name.slice(prefix.length),
    arn,
  }));
}

async function allRules({ elb, options: { listenerArn: ListenerArn } }: Aws): Promise<Rule[]> {
  const rules: Rule[] = [];
  for await (const { Rules = [] } of paginateDescribeRules({ client: elb, pageSize: 400 }, { ListenerArn }))
    rules.push(...Rules);
  return rules;
}

const targetOf = ({ Actions = [] }: Rule): string | undefined => Actions[0]?.TargetGroupArn;

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

async function tagsOf({ elb }: Aws, arns: readonly string[]): Promise<Map<string, Record<string, string>>> {
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
