import { computeKinds, computeWords } from '../../compute/kinds.ts';
import { type ResourceSpec, resourceSpec } from '../../contract/deployments/resource-spec.ts';
import { refuse, ValidationError } from '../../contract/errors.ts';
import { kubernetesConfig } from '../../contract/kubernetes-config.ts';
import { ownAddress } from '../../contract/validation/text.ts';
import type { Deps } from '../../core/deps.ts';
import { findComputeUse } from '../../core/items/compute-use.ts';
import type { DeploymentConfig, Listener } from '../../core/items/items.ts';
import { operatorProblems } from '../../domain/kubernetes/allowed.ts';
import { specItems } from '../../domain/kubernetes/resource-spec.ts';

/**
 * Refuses what a cluster would refuse of a `resource_spec`, where it goes to one: on other listeners these
 * fields mean nothing. What is stored already is taken when it is sent back.
 */
export function checkClusterNames(
  { compute_type: type }: Pick<Listener, 'compute_type'>,
  asked: ResourceSpec | undefined,
  stored: Readonly<Record<string, unknown>> | undefined,
): void {
  if (!computeKinds[type].isCluster || asked === undefined) return;
  const items = specItems(asked, resourceSpec.safeParse(stored).data);
  if (items.length > 0) throw new ValidationError(items);
}

/**
 * Refuses what the operator of a cluster does not allow there. It is asked of what the next revision would
 * run: what was taken before the operator said so runs on, and is refused when it would be started anew.
 */
export function checkOperatorLimits(
  { compute_type: type, compute_id: computeId, compute_config: config }: Listener,
  asked: Pick<DeploymentConfig, 'resource_spec' | 'custom_url'>,
): void {
  if (!computeKinds[type].isCluster) return;
  const spec = resourceSpec.safeParse(asked.resource_spec).data ?? {};
  const problems = operatorProblems(spec, ownAddress(asked.custom_url), kubernetesConfig.parse(config));
  if (problems.length === 0) return;
  const listed = problems.map(({ field, reason }) => `'source_config.${field}': ${reason}.`).join(' ');
  throw refuse('source_configuration', {
    reason: `listener ${computeId} does not allow this. ${listed} Its operator decides, with the listener's compute_config.`,
  });
}

type Asked = {
  secret_references?: readonly unknown[] | undefined;
  source_config?:
    | {
        resource_spec?: Readonly<Record<string, unknown>> | undefined;
        dockerfile_path?: string | null | undefined;
        docker_target?: string | null | undefined;
      }
    | undefined;
};

/**
 * Refuses what the compute behind a listener cannot give to an agent: secrets of its own to refer to, an
 * image by a Dockerfile, and what it lacks of a `resource_spec`. An empty list or object asks for nothing.
 */
export function checkWhatRuns({ compute_type: type, compute_id: id }: Listener, asked: Asked): void {
  const { does, lacks } = computeWords[type];
  if (!computeKinds[type].isCluster && (asked.secret_references ?? []).length > 0) {
    throw refuse('source_configuration', {
      reason: `listener ${id} ${does} and has no secrets of its own to refer to; send the values as 'secrets'.`,
    });
  }
  if (computeKinds[type].runs !== 'image')
    for (const field of ['dockerfile_path', 'docker_target'] as const)
      if (asked.source_config?.[field])
        throw refuse('source_configuration', {
          reason: `listener ${id} ${does} and builds no images, so '${field}' ${JSON.stringify(asked.source_config[field])} would do nothing; leave it out, or use a listener of compute_type 'k8s' or 'ecs'.`,
        });
  const spec = asked.source_config?.resource_spec ?? {};
  const lacked = Object.entries(lacks).find(([field]) => asksFor(spec[field]));
  if (lacked === undefined) return;
  const [field, instead] = lacked;
  throw refuse('source_configuration', {
    reason: `listener ${id} ${does}, which has no '${field}' of resource_spec; ${instead}, or use a listener of compute_type 'k8s'.`,
  });
}

function asksFor(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Drivers count at least twice as often while anything runs: what is older says nothing of now. */
const COUNTED_MILLISECONDS_MAX = 30 * 60_000;

/** What an agent has at rest: the target group of its servers, the rule to try them by, and that of requests. */
const NEEDED = { target_groups: 1, rules: 2 } as const;
const NAMES = { target_groups: 'target groups', rules: 'rules' } as const;

/**
 * Refuses a new agent for which the balancer has surely no room. What several requests need at the same
 * moment is not known here: a deploy that finds none waits, and says so.
 */
export async function checkRoom(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  { compute_type: type }: Listener,
): Promise<void> {
  const use = computeKinds[type].isManaged ? await findComputeUse(table) : undefined;
  if (use === undefined || clock.now() - use.at > COUNTED_MILLISECONDS_MAX) return;
  for (const kind of ['target_groups', 'rules'] as const) {
    const { in_use: inUse, quota } = use[kind];
    const free = Math.max(0, quota - inUse);
    if (free < NEEDED[kind])
      throw refuse('compute_full', { what: NAMES[kind], free, quota, needed: NEEDED[kind] });
  }
}
