import { findDeployment } from '../../store/deployments.ts';
import { nameReservation } from '../../store/items.ts';
import { findListener } from '../../store/listeners.ts';
import type { Deps } from '../deps.ts';

/** What a taken name waits for, in a sentence, when who has it is being deleted. `reservation`: what was found under the name. */
export async function waitsFor(
  { table }: Pick<Deps, 'table'>,
  reservation: unknown,
): Promise<string | undefined> {
  const found = nameReservation().safeParse(reservation).data;
  const deployment = found && (await findDeployment(table, found.tenant_id, found.deployment_id));
  if (deployment?.status !== 'AWAITING_DELETE') return undefined;
  const { id, listener_id: listenerId, epoch } = deployment;
  if (epoch === 0) return `It is being deleted; try again in a moment.`;
  const listener = await findListener(table, deployment.tenant_id, listenerId);
  const name = listener?.compute_id ?? listenerId;
  return `Its deletion waits for listener ${name}; if that will not come back, DELETE /v2/deployments/${id}?force=true ends the waiting.`;
}
