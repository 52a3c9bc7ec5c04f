import type { Revision } from '../../../lib/client/endpoints.ts';
import { labelled } from '../../logic/configuration.ts';
import { Facts } from '../../ui/facts.tsx';

/** What a revision is built and run with; names of secrets alone. */
export function Configuration({ revision: { configuration: set } }: { revision: Revision }) {
  if (set === null) return null;
  const resources = Object.entries(set.resource_spec ?? {}).map(
    ([name, value]) => [name, JSON.stringify(value)] as const,
  );
  const rows = [
    ...labelled(set),
    ...resources,
    ['Secrets', set.secret_names.length === 0 ? null : set.secret_names.join(', ')] as const,
  ].filter(([, value]) => value !== null);
  if (rows.length === 0) return null;
  return (
    <details class="card configuration">
      <summary>Configuration</summary>
      <Facts facts={rows.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
    </details>
  );
}
