import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import { findOwnToken, ownerOfCaller } from '../../core/items/oauth-tokens.ts';
import { ConditionsFailed, transact, type Write } from '../../store/dynamodb/transact.ts';
import type { Connection } from './items.ts';
import type { createConnection as row } from './routes.ts';
import type { ConnectionView } from './shape.ts';
import {
  type AgentOwner,
  CONNECTIONS_MAX,
  connectionsOfToken,
  connectionTo,
  findConnection,
  putConnection,
  TOKEN_PLACE,
} from './store.ts';
import { connectionViewOf } from './view.ts';

/**
 * Lets an agent act with a token of the caller. One that does already keeps its connection. Throws
 * `oauth_token_not_found`, 409 for too many.
 */
export async function createConnection(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<ConnectionView> {
  const owner = { ...ownerOfCaller(caller), agentId: params.agent_id };
  // It is a UUID, which has no case.
  const token = await findOwnToken(deps.table, owner, body.oauth_token_id.toLowerCase());
  if (token === undefined) throw refuse('oauth_token_not_found', { id: body.oauth_token_id });
  const known = await connectedAlready(deps, owner, token);
  if (known !== undefined) return connectionViewOf(known, token);
  const { clock } = deps;
  const item = connectionTo(token, { id: clock.orderedId(), agentId: owner.agentId, now: clock.now() });
  const shown = connectionViewOf(item, token);
  const audit = auditMarkOf(deps, { action: 'connection.create' }, caller);
  await write(deps, token, [...putConnection(item, audit), ...deps.idempotency.record(shown)]);
  return shown;
}

async function connectedAlready(
  { table }: Pick<Deps, 'table'>,
  owner: AgentOwner,
  token: OAuthToken,
): Promise<Connection | undefined> {
  const connections = await connectionsOfToken(table, owner.tenantId, token.id);
  const found = connections.find(({ agent_id }) => agent_id === owner.agentId);
  return found && findConnection(table, owner, found.id);
}

async function write({ table }: Pick<Deps, 'table'>, token: OAuthToken, writes: Write[]): Promise<void> {
  try {
    await transact(table, writes);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    if (error.failed.get(TOKEN_PLACE) === undefined) throw refuse('oauth_token_not_found', { id: token.id });
    throw refuse('state_forbids', {
      reason: `OAuth token ${token.id} has ${CONNECTIONS_MAX} connections, which is as many as it can have.`,
    });
  }
}
