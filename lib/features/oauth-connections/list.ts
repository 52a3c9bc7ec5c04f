import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { ownerOfCaller } from '../../core/items/oauth-tokens.ts';
import type { listConnections as row } from './routes.ts';
import { connectionsOf, findConnectedToken } from './store.ts';
import { connectionViewOf } from './view.ts';

/** The caller's connections of an agent, newest first; empty for an agent without connections. */
export async function listConnections(
  { table }: Pick<Deps, 'table'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const items = await connectionsOf(table, { ...ownerOfCaller(caller), agentId: params.agent_id });
  const shown = await Promise.all(
    items.map(async (item) => {
      const token = await findConnectedToken(table, item);
      // It was deleted since the connections were read, and they with it.
      return token === undefined ? [] : [connectionViewOf(item, token)];
    }),
  );
  return { data: shown.flat() };
}
