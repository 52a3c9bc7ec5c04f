import type { V1ResourceRequirements } from '@kubernetes/client-node';
import { type ResourceSpec, resourceSpec } from '../../../contract/deployments/resource-spec.ts';
import type { DeploySpec } from '../../../features/listener-protocol/shape.ts';

const MI_PER_GI = 1024;
const THOUSANDTHS = 1000;

/** The resource_spec of a revision, which the control plane has filled in. */
export const resourcesOf = (spec: Pick<DeploySpec, 'resource_spec'>): ResourceSpec =>
  resourceSpec.parse(spec.resource_spec);

/** The account that a deployment names; an empty name is none, as in Kubernetes. */
export const accountNameOf = ({ service_account_name: name }: ResourceSpec): string | undefined =>
  name === '' ? undefined : name;

/** Thousandths are the finest share that Kubernetes knows: 0.25 is `250m`, and 2 is `2`. */
export function cpuQuantity(cpu: number): string {
  const thousandths = Math.round(cpu * THOUSANDTHS);
  return thousandths % THOUSANDTHS === 0 ? String(thousandths / THOUSANDTHS) : `${thousandths}m`;
}

export const memoryQuantity = (mb: number): string => `${mb}Mi`;

/** Whole Gi as such, a fraction in Mi; a claim is never smaller than what was asked for. */
export function storageQuantity(gi: number): string {
  const mi = Math.ceil(gi * MI_PER_GI);
  return mi % MI_PER_GI === 0 ? `${mi / MI_PER_GI}Gi` : `${mi}Mi`;
}

type Group = '' | 'queue_' | 'redis_' | 'db_';
type Amount = { request?: number | undefined; limit?: number | undefined };

function requirements(cpu: Amount, memory: Amount): V1ResourceRequirements | undefined {
  const list = (kind: 'request' | 'limit') => ({
    ...(cpu[kind] !== undefined && { cpu: cpuQuantity(cpu[kind]) }),
    ...(memory[kind] !== undefined && { memory: memoryQuantity(memory[kind]) }),
  });
  const [requests, limits] = [list('request'), list('limit')];
  const required = {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  return Object.keys(required).length === 0 ? undefined : required;
}

const cpuOf = (spec: ResourceSpec, group: Group | 'core_'): Amount => ({
  request: spec[`${group}cpu`],
  limit: spec[`${group}cpu_limit`],
});
const memoryOf = (spec: ResourceSpec, group: Group | 'core_'): Amount => ({
  request: spec[`${group}memory_mb`],
  limit: spec[`${group}memory_limit_mb`],
});
const isGiven = ({ request, limit }: Amount): boolean => request !== undefined || limit !== undefined;

/** What one group of fields asks for; undefined: nothing. */
export const requirementsOf = (spec: ResourceSpec, group: Group): V1ResourceRequirements | undefined =>
  requirements(cpuOf(spec, group), memoryOf(spec, group));

/**
 * What the API server's container gets. `core_*` has no part of its own here, so it counts where `cpu` or
 * `memory_mb` say nothing: taken before them it could make a server smaller than they ask for.
 */
export function serverRequirements(spec: ResourceSpec): V1ResourceRequirements | undefined {
  const [cpu, memory] = [cpuOf(spec, ''), memoryOf(spec, '')];
  return requirements(
    isGiven(cpu) ? cpu : cpuOf(spec, 'core_'),
    isGiven(memory) ? memory : memoryOf(spec, 'core_'),
  );
}

/** What is said of `core_*` fields that yield to the main ones. */
export function coreNotes(spec: ResourceSpec): string[] {
  const yields = (amountOf: typeof cpuOf) => isGiven(amountOf(spec, '')) && isGiven(amountOf(spec, 'core_'));
  return [
    ...(yields(cpuOf) ? ['core_cpu is not used: cpu says what the API server gets.'] : []),
    ...(yields(memoryOf) ? ['core_memory_mb is not used: memory_mb says what the API server gets.'] : []),
  ];
}

export type Scale = { min: number; max: number };

/** Nothing wakes a server that was scaled to none, so 0 counts as 1. */
export function scaleOf(spec: ResourceSpec, group: '' | 'queue_' = ''): Scale {
  const min = Math.max(1, spec[`${group}min_scale`] ?? 1);
  return { min, max: Math.max(min, spec[`${group}max_scale`] ?? min) };
}
