import { quantityOf } from './quantities.ts';

/**
 * Whether an object of the cluster has everything that `wanted` names; the cluster adds fields of its own,
 * and writes quantities its own way. Lists count as a whole.
 */
export function covers(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted))
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((each, index) => covers(live[index], each))
    );
  if (isRecord(wanted))
    return isRecord(live) && Object.entries(wanted).every(([name, each]) => covers(live[name], each));
  return live === wanted || isSameQuantity(live, wanted);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Date);

/** `1024Mi` is `1Gi`. */
function isSameQuantity(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  const [first, second] = [quantityOf(one), quantityOf(other)];
  return first !== undefined && first === second;
}
