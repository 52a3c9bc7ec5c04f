import fc from 'fast-check';
import type { ResourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';
import { checkResourceSpec } from '../../../lib/domain/resource-spec.ts';

const cpu = fc.integer({ min: 100, max: 64_000 }).map((thousandths) => thousandths / 1000);
const memory = fc.integer({ min: 1, max: 4096 }).map((steps) => steps * 128);
const scale = fc.integer({ min: 0, max: 50 });

export const groups = ['', 'queue_', 'redis_', 'core_', 'db_'];
const numbers = Object.fromEntries([
  ...groups.flatMap((group) => [
    [`${group}cpu`, cpu],
    [`${group}cpu_limit`, cpu],
    [`${group}memory_mb`, memory],
    [`${group}memory_limit_mb`, memory],
  ]),
  ...['min_scale', 'max_scale', 'queue_min_scale', 'queue_max_scale'].map((field) => [field, scale] as const),
]);

/** Specs that pass: any numbers, less those that contradict another. */
export const goodSpec = fc.record(numbers, { requiredKeys: [] }).map((spec): ResourceSpec => {
  const refused = new Set(checkResourceSpec(spec).map(({ loc }) => loc.at(-1)));
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !refused.has(field)));
});
