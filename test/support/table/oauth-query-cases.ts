import { oauthProvider, oauthProviderKey, providersOf } from '../../../lib/core/items/oauth-providers.ts';
import { revocation, revocationKey } from '../../../lib/core/items/oauth-revocations.ts';
import { type OAuthToken, oauthToken } from '../../../lib/core/items/oauth-token-shapes.ts';
import * as tokens from '../../../lib/core/items/oauth-tokens.ts';
import { connection, tokenConnection } from '../../../lib/features/oauth-connections/items.ts';
import * as connections from '../../../lib/features/oauth-connections/store.ts';
import { allTokensOf, hasTokens, revocationsIn } from '../../../lib/features/oauth-tokens/store.ts';
import { collected } from '../../../lib/store/dynamodb/collected.ts';
import type { Table } from '../../../lib/store/table.ts';
import type { QueryCase } from './query-cases.ts';

type Granted = tokens.Owner & { userId: string; agentId: string; providerId: string };
const granted: Granted = {
  tenantId: 'tenant',
  ownerId: 'owner',
  userId: 'person',
  agentId: 'agent',
  providerId: 'p',
};

/** Tokens are found under an id that is one of the parts of their key. */
const tokensBy = (
  part: keyof Granted,
  ask: (table: Table, of: Granted) => Promise<OAuthToken[]>,
): QueryCase => ({
  name: `tokens by ${part}, ${ask.name}`,
  file: 'lib/core/items/oauth-tokens.ts',
  shape: oauthToken,
  key: (id) => {
    const of = { ...granted, [part]: id };
    return tokens.oauthTokenKey(of, of.providerId, 'token');
  },
  ask: (table, id) => ask(table, { ...granted, [part]: id }),
});
const ofProvider = (table: Table, of: Granted) => tokens.tokensOf(table, of, of.providerId);
const ofExactly = (table: Table, of: Granted) => tokens.exactTokensOf(table, of, of.providerId);

const connectionsBy = (part: 'agentId' | 'ownerId'): QueryCase => ({
  name: `connections by ${part}`,
  file: 'lib/features/oauth-connections/store.ts',
  shape: connection,
  key: (id) => connections.connectionKey({ ...granted, [part]: id }, 'connection'),
  ask: (table, id) => connections.connectionsOf(table, { ...granted, [part]: id }),
});

/** The queries of what people have granted, for the lists of `query-cases.ts`. */
export const ofGrants: QueryCase[] = [
  tokensBy('providerId', ofProvider),
  tokensBy('ownerId', ofProvider),
  tokensBy('providerId', ofExactly),
  tokensBy('userId', ofExactly),
  tokensBy('agentId', ofExactly),
  {
    ...tokensBy('providerId', ofProvider),
    name: 'whether there are tokens of a provider',
    file: 'lib/features/oauth-tokens/store.ts',
    ask: async (table, id) => ((await hasTokens(table, granted, id)) ? ['some'] : []),
  },
  { ...tokensBy('ownerId', allTokensOf), file: 'lib/features/oauth-tokens/store.ts' },
  connectionsBy('agentId'),
  connectionsBy('ownerId'),
  {
    name: 'connections that use a token',
    file: 'lib/features/oauth-connections/store.ts',
    shape: tokenConnection,
    key: (id) => connections.tokenConnectionKey(granted.tenantId, id, 'connection'),
    ask: (table, id) => connections.connectionsOfToken(table, granted.tenantId, id),
  },
  {
    name: 'providers of an organization',
    file: 'lib/core/items/oauth-providers.ts',
    shape: oauthProvider,
    key: (id) => oauthProviderKey(id, 'provider'),
    ask: providersOf,
  },
  {
    name: 'what is to be revoked of a token',
    file: 'lib/features/oauth-tokens/store.ts',
    shape: revocation,
    key: (id) => revocationKey(granted.tenantId, id, 'revocation'),
    ask: (table, id) => collected(revocationsIn(table, revocationKey(granted.tenantId, id, '').pk)),
  },
];
