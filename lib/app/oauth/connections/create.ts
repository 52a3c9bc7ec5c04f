import { refuse } from '../../../contract/errors.ts';
import type { ConnectionView } from '../../../contract/oauth-connections.ts';
import type { createConnection as row } from '../../../contract/routes/oauth-connections.ts';
import type { RouteInput } from '../../../contract/routes/route.ts';
import { atMost, present, update } from '../../../store/expressions.ts';
import {
  type Connection,
  connectionsOfToken,
  findConnection,
  putConnection,
} from '../../../store/oauth-connections.ts';
import { oauthTokenPlaceKey } from '../../../store/oauth-keys.ts';
import { findOwnToken, keyOfToken, type OAuthToken } from '../../../store/oauth-tokens.ts';
import { ConditionsFailed, transact, type Write } from '../../../store/operations.ts';
import { auditOf } from '../../audit.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { ownerOfCaller } from '../tokens/owner.ts';
import { connectionView } from './view.ts';

/** A token goes with all of its connections in one transaction, which takes a hundred writes. */
const CONNECTIONS_MAX = 40;

/** Lets an agent act with a token of the caller. One that does already keeps its connection. Throws `oauth_token_not_found`, 409 for too many. */
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
  if (known !== undefined) return connectionView(known, token);
  const item = newConnection(deps, owner, token);
  const shown = connectionView(item, token);
  const audit = auditOf(deps, caller, 'connection.create');
  const writes = [...putConnection(item, { audit }), ...deps.idempotency.record(shown)];
  await write(deps, token, writes);
  return shown;
}

type AgentOwner = Parameters<typeof findConnection>[1];

async function connectedAlready(
  { table }: Pick<Deps, 'table'>,
  owner: AgentOwner,
  token: OAuthToken,
): Promise<Connection | undefined> {
  const connections = await connectionsOfToken(table, owner.tenantId, token.id);
  const found = connections.find(({ agent_id }) => agent_id === owner.agentId);
  return found && findConnection(table, owner, found.id);
}

const newConnection = ({ clock }: Pick<Deps, 'clock'>, owner: AgentOwner, token: OAuthToken): Connection => ({
  v: 1,
  entity: 'oauth_connection',
  tenant_id: owner.tenantId,
  id: clock.orderedId(),
  agent_id: owner.agentId,
  owner_id: owner.ownerId,
  token_id: token.id,
  token_sk: keyOfToken(token).sk,
  provider_id: token.provider_id,
  created_at: new Date(clock.now()).toISOString(),
});

/** Counted in the token's place, which goes with the token: a connection is never left over. */
async function write({ table }: Pick<Deps, 'table'>, token: OAuthToken, writes: Write[]): Promise<void> {
  const key = oauthTokenPlaceKey(token.tenant_id, token.id);
  const change = { add: { connections: 1 } };
  const counted = update('place', key, change, present('pk'), atMost('connections', CONNECTIONS_MAX - 1));
  try {
    await transact(table, [counted, ...writes]);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    if (error.failed.get('place') === undefined) throw refuse('oauth_token_not_found', { id: token.id });
    throw refuse('state_forbids', {
      reason: `OAuth token ${token.id} has ${CONNECTIONS_MAX} connections, which is as many as it can have.`,
    });
  }
}
