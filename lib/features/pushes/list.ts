import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findIntegration } from '../../core/items/integrations.ts';
import type { listDeliveries as row } from './routes.ts';
import { pushDeliveriesOf } from './store.ts';
import { pushDeliveryViewOf } from './view.ts';

/** What came from an integration's host in the last 30 days, and what it made; newest first. */
export async function listDeliveries(
  { table }: Pick<Deps, 'table'>,
  { params, query }: Pick<RouteInput<typeof row>, 'params' | 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { integration_id: integrationId } = params;
  const { tenantId } = caller;
  if ((await findIntegration(table, tenantId, integrationId)) === undefined)
    throw refuse('integration_not_found', { id: integrationId });
  const resources = [];
  let position = 0;
  for await (const item of pushDeliveriesOf(table, { tenantId, integrationId })) {
    if (resources.length === query.limit) break;
    if (position >= query.offset) resources.push(pushDeliveryViewOf(item));
    position += 1;
  }
  return { resources, offset: position };
}
