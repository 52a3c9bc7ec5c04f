import { ListVpcOriginsCommand, paginateListDistributions } from '@aws-sdk/client-cloudfront';
import {
  DescribeServicesCommand,
  DescribeTaskDefinitionCommand,
  paginateListServices,
  paginateListTaskDefinitions,
} from '@aws-sdk/client-ecs';
import {
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  paginateDescribeListeners,
  paginateDescribeRules,
  paginateDescribeTargetGroups,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import { tags } from '../../../lib/compute/ecs/names.ts';
import { absent } from '../absent.ts';
import type { Account } from '../account.ts';
import { all } from '../pages.ts';

// What the driver makes at run time, and what its stack makes outside of the region.

/** DescribeTags takes so many. */
const TAGS_A_CALL = 20;
/** DescribeServices takes so many. */
const SERVICES_A_CALL = 10;

/** Of the cluster, the balancer and the VPC origin. */
export const agentsNameOf = (environment: string): string => `slipway-${environment}-agents`;

type Parts = {
  services: string[];
  rules: string[];
  targetGroups: string[];
  taskDefinitions: string[];
  secrets: string[];
};

/** What of sets of servers is in the account, by its ARN or name. */
export async function partsOf(account: Account, environment: string): Promise<Parts> {
  const name = agentsNameOf(environment);
  const [services, rules, targetGroups, taskDefinitions, secrets] = await Promise.all([
    servicesIn(account, name),
    rulesOf(account, name),
    targetGroupsOf(account, name),
    taskDefinitionsOf(account, name),
    secretsOf(account, environment),
  ]);
  return { services, rules, targetGroups, taskDefinitions, secrets };
}

/** Those that end included. */
async function servicesIn({ clients: { ecs: client } }: Account, cluster: string): Promise<string[]> {
  const listed = all(paginateListServices({ client }, { cluster }), (page) => page.serviceArns);
  const arns = await listed.catch(absent(/ClusterNotFound/, []));
  const found: string[] = [];
  for (let first = 0; first < arns.length; first += SERVICES_A_CALL) {
    const some = arns.slice(first, first + SERVICES_A_CALL);
    const { services = [] } = await client.send(new DescribeServicesCommand({ cluster, services: some }));
    found.push(
      ...services.filter(({ status }) => status !== 'INACTIVE').map(({ serviceArn = '' }) => serviceArn),
    );
  }
  return found;
}

async function rulesOf({ clients: { balancers: client } }: Account, name: string): Promise<string[]> {
  const { LoadBalancers = [] } = await client
    .send(new DescribeLoadBalancersCommand({ Names: [name] }))
    .catch(absent(/LoadBalancerNotFound/, { LoadBalancers: [] }));
  const found: string[] = [];
  for (const { LoadBalancerArn } of LoadBalancers) {
    const listeners = paginateDescribeListeners({ client }, { LoadBalancerArn });
    for (const { ListenerArn } of await all(listeners, (page) => page.Listeners)) {
      const rules = await all(paginateDescribeRules({ client }, { ListenerArn }), (page) => page.Rules);
      found.push(...rules.filter((rule) => rule.IsDefault !== true).map(({ RuleArn = '' }) => RuleArn));
    }
  }
  return found;
}

async function targetGroupsOf({ clients: { balancers: client } }: Account, name: string): Promise<string[]> {
  const groups = await all(paginateDescribeTargetGroups({ client }, {}), (page) => page.TargetGroups);
  const arns = groups.flatMap(({ TargetGroupArn, TargetGroupName }) =>
    TargetGroupArn !== undefined && TargetGroupName?.startsWith('sw-') === true ? [TargetGroupArn] : [],
  );
  const found: string[] = [];
  for (let first = 0; first < arns.length; first += TAGS_A_CALL) {
    const some = new DescribeTagsCommand({ ResourceArns: arns.slice(first, first + TAGS_A_CALL) });
    const { TagDescriptions = [] } = await client.send(some);
    const own = TagDescriptions.filter(({ Tags = [] }) =>
      Tags.some(({ Key, Value }) => Key === tags.cluster && Value === name),
    );
    found.push(...own.map(({ ResourceArn = '' }) => ResourceArn));
  }
  return found;
}

async function taskDefinitionsOf({ clients: { ecs: client } }: Account, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const status of ['ACTIVE', 'INACTIVE'] as const) {
    const pages = paginateListTaskDefinitions({ client }, { status });
    for (const taskDefinition of await all(pages, (page) => page.taskDefinitionArns)) {
      if (!taskDefinition.includes('/slipway_')) continue;
      const asked = new DescribeTaskDefinitionCommand({ taskDefinition, include: ['TAGS'] });
      const { tags: given = [] } = await client.send(asked);
      if (given.some(({ key, value }) => key === tags.cluster && value === name)) found.push(taskDefinition);
    }
  }
  return found;
}

async function secretsOf({ clients: { secrets: client } }: Account, environment: string): Promise<string[]> {
  const prefix = `slipway/${environment}/agents/`;
  const pages = paginateListSecrets({ client }, { Filters: [{ Key: 'name', Values: [prefix] }] });
  const found = await all(pages, (page) => page.SecretList);
  return found.map(({ Name = '' }) => Name).filter((each) => each.startsWith(prefix));
}

/** The parts of the front, in words: CloudFront keeps them in no region. */
export async function frontOf({ clients, isEmulated }: Account, environment: string): Promise<string[]> {
  const client = clients.fronts;
  const distributions = await all(
    paginateListDistributions({ client }, {}),
    (page) => page.DistributionList?.Items,
  );
  const own = distributions.filter(({ Comment }) => Comment === `Slipway: agents of ${environment}`);
  // An account has 25 at most; the emulator forgets none.
  const { VpcOriginList } = isEmulated ? {} : await client.send(new ListVpcOriginsCommand({}));
  const origins = VpcOriginList?.Items ?? [];
  return [
    ...own.map(({ Id }) => `distribution ${Id}`),
    ...origins.filter(({ Name }) => Name === agentsNameOf(environment)).map(({ Id }) => `VPC origin ${Id}`),
  ];
}
