import { computeKinds, computeWords } from '../../../compute/kinds.ts';
import { refuse } from '../../../contract/errors.ts';
import type { Listener } from '../../../core/items/items.ts';

type Asked = {
  secret_references?: readonly unknown[] | undefined;
  source_config?: { resource_spec?: Readonly<Record<string, unknown>> | undefined } | undefined;
};

/**
 * Refuses what the compute behind a listener cannot give to an agent: secrets of its own to refer to, and
 * what it lacks of a `resource_spec`. An empty list or object asks for nothing.
 */
export function checkWhatRuns({ compute_type: type, compute_id: id }: Listener, asked: Asked): void {
  const { does, lacks } = computeWords[type];
  if (!computeKinds[type].isCluster && (asked.secret_references ?? []).length > 0) {
    throw refuse('source_configuration', {
      reason: `listener ${id} ${does} and has no secrets of its own to refer to; send the values as 'secrets'.`,
    });
  }
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
