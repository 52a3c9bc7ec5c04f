import type { KubernetesObject } from '@kubernetes/client-node';

/**
 * An object as the API server reads it. The client's models give one field of what is rendered here another
 * name: `from` of a NetworkPolicy. The client's own serializer knows that too, but it drops every field that
 * its models do not have, and a deployment's volumes may have newer ones.
 */
export function wireOf(object: KubernetesObject): unknown {
  return object.kind === 'NetworkPolicy' ? renamed(object) : object;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name === '_from' ? 'from' : name, renamed(member)]),
  );
}
