import type { ServiceOutputTypes } from '@aws-sdk/lib-dynamodb';
import { type Role, roles } from '../../../lib/contract/roles.ts';
import type { Caller } from '../../../lib/core/caller.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { createApiKey } from '../../../lib/features/api-keys/create.ts';
import { revokeApiKey } from '../../../lib/features/api-keys/revoke.ts';
import { authenticate } from '../../../lib/features/consent/authenticate.ts';
import { authenticate as authenticateRow } from '../../../lib/features/consent/routes.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { createIntegration as createIntegrationRow } from '../../../lib/features/integrations/routes.ts';
import { putMember } from '../../../lib/features/members/put.ts';
import { createConnection } from '../../../lib/features/oauth-connections/create.ts';
import { createProvider } from '../../../lib/features/oauth-providers/create.ts';
import { createProvider as createProviderRow } from '../../../lib/features/oauth-providers/routes.ts';
import { importToken } from '../../../lib/features/oauth-tokens/import.ts';
import { importToken as importTokenRow } from '../../../lib/features/oauth-tokens/routes.ts';
import { bootstrap } from '../../../lib/features/tenants/bootstrap.ts';
import { createTenant } from '../../../lib/features/tenants/create.ts';
import { createTokenRule } from '../../../lib/features/token-rules/create.ts';
import { createWebhook } from '../../../lib/features/webhooks/create.ts';
import { testWebhook } from '../../../lib/features/webhooks/request-delivery.ts';
import { createWebhook as createWebhookRow } from '../../../lib/features/webhooks/routes.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { openTaskKey } from '../../../lib/store/keys/index.ts';
import type { Table } from '../../../lib/store/table.ts';
import { aTask } from '../table/stored-items.ts';
import { aCaller } from './caller.ts';
import { github, post, register } from './requests.ts';
import { aWorld, type World } from './world.ts';

/** Not scans: with those a test looks for itself at what is stored. */
const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand']);

type Answer = { response: unknown; output: ServiceOutputTypes };

/**
 * What is read from a table that this client alone writes to is kept until its next write: the loop asks each
 * route dozens of times, and four of five of its reads are of the same keys and memberships. Which requests
 * are made, and what they are answered, stays the same.
 */
function keepReads({ client }: Table): void {
  const kept = new Map<string, Promise<Answer>>();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!READS.has(commandName)) {
          kept.clear();
          // Once more at its end: a read in between may have seen what was there before.
          return next(args).finally(() => kept.clear());
        }
        const question = `${commandName} ${JSON.stringify(args.input)}`;
        const answer = kept.get(question) ?? next(args);
        kept.set(question, answer);
        const { response, output } = await answer;
        // Each reader has its own, to change as it likes.
        return { response, output: structuredClone(output) };
      },
    { step: 'initialize', name: 'keepReads' },
  );
}

/** One tenant with a thing of each kind, two users of it, and a key of the first one for each role. */
export type Inhabited = {
  tenantId: string;
  organizationId: string;
  /** The id of its own thing, by the name that paths give to such ids. */
  ids: Record<string, string>;
  keys: Record<Role, string>;
  /** An administrator of its organization who is another user. */
  otherUserKey: string;
};

export type SecurityWorld = {
  deps: Deps;
  own: Inhabited;
  /** Another tenant of the same organization, and one of another organization. */
  foreign: Inhabited[];
  /** Of the own organization, for all of its tenants. */
  organizationKey: string;
  /** Of the own tenant, and not good any more. */
  expiredKey: string;
  revokedKey: string;
  /** A bearer of the own tenant, an administrator of its organization. */
  bearer: string;
  /** A bearer of two tenants. */
  severalBearer: string;
  /** A good bearer that is no member of any tenant. */
  strangerBearer: string;
};

const BEARER = /^token-of-(\w+)$/;

/**
 * An identity provider whose tokens say plainly whose they are; how real ones are verified is tested beside.
 */
const plainIssuer: NonNullable<Deps['identityProvider']> = {
  subjectOf: async (token) => BEARER.exec(token)?.[1],
};

type Tenant = Pick<Caller, 'tenantId' | 'organizationId'>;

export async function aSecurityWorld(): Promise<SecurityWorld> {
  const world = await aWorld();
  keepReads(world.deps.table);
  world.deps.identityProvider = plainIssuer;
  world.deps.keyUses = { note: () => undefined };
  const [first, second] = [await organization(world), await organization(world)];
  const sister = await createTenant(world.deps, { body: { name: 'sister' } }, as(first));
  const own = await inhabited(world, first);
  const wish = { ...first, userId: world.deps.clock.randomId(), name: 'test' } as const;
  const admin = { ...wish, role: 'organization_admin' } as const;
  const past = new Date(world.deps.clock.now() - 1000).toISOString();
  const revoked = await createApiKey(
    world.deps,
    { body: { name: 'revoked', role: 'organization_admin' } },
    as(first),
  );
  await revokeApiKey(world.deps, { params: { key_id: revoked.id } }, as(first));
  await putMember(world.deps, { body: { user_id: 'alice', role: 'organization_admin' } }, as(first));
  for (const tenant of [first, second])
    await putMember(world.deps, { body: { user_id: 'bob', role: 'viewer' } }, as(tenant));
  return {
    deps: world.deps,
    own,
    foreign: [
      await inhabited(world, { tenantId: sister.id, organizationId: first.organizationId }),
      await inhabited(world, second),
    ],
    organizationKey: await issueApiKey(world.deps, { ...admin, tenantId: undefined }),
    expiredKey: await issueApiKey(world.deps, { ...admin, expiresAt: past }),
    revokedKey: revoked.key,
    bearer: 'token-of-alice',
    severalBearer: 'token-of-bob',
    strangerBearer: 'token-of-mallory',
  };
}

const as = (tenant: Tenant): Caller => aCaller({ ...tenant, role: 'organization_admin' });

async function organization({ deps }: World): Promise<Tenant> {
  const { tenantId, organizationId } = await bootstrap(deps, { organization: 'o', tenant: 't' });
  return { tenantId, organizationId };
}

async function inhabited(world: World, tenant: Tenant): Promise<Inhabited> {
  const caller = as(tenant);
  const { deps } = world;
  const [userId, otherUserId] = [deps.clock.randomId(), deps.clock.randomId()];
  const shared = await things({ ...world, caller });
  const ids = { ...shared, ...(await ownThings({ deps, caller: { ...caller, userId } }, shared)) };
  const made = await Promise.all(
    roles.map(async (role) => {
      const bound = role === 'listener' ? { listenerId: ids.listener_id ?? '' } : {};
      return [role, await issueApiKey(deps, { ...tenant, ...bound, userId, role, name: role })] as const;
    }),
  );
  const keys = Object.fromEntries(made) as Record<Role, string>; // one for each of all roles
  const other = { ...tenant, userId: otherUserId, role: 'organization_admin', name: 'other' } as const;
  return { ...tenant, ids, keys, otherUserKey: await issueApiKey(deps, other) };
}

/** One thing of each kind that a path can name; a new kind needs one here, as a test says. */
async function things(world: World): Promise<Record<string, string>> {
  const { deps, caller } = world;
  const { id: listener_id } = await register(world, 'machine');
  const { id: deployment_id, latest_revision_id: revision_id } = await post(world, github('a'));
  const task_id = deps.clock.orderedId();
  const task = aTask({
    ...{ tenant_id: caller.tenantId, id: task_id },
    ...{ listener_id, deployment_id, revision_id },
  });
  const key = openTaskKey(caller.tenantId, listener_id, task_id);
  await transact(deps.table, [put('task', { ...key, ...task })]);
  const { id: key_id } = await createApiKey(deps, { body: { name: 'k', role: 'viewer' } }, caller);
  const user_id = `somebody of ${caller.tenantId}`;
  const { id: member_id } = await putMember(deps, { body: { user_id, role: 'viewer' } }, caller);
  const access = createIntegrationRow.body.parse({ type: 'github', host: 'git.example', token: 'a' });
  const { id: integration_id } = await createIntegration(deps, { body: access }, caller);
  const hook = createWebhookRow.body.parse({ url: 'https://hooks.example/' });
  const { id: webhook_id } = await createWebhook(deps, { body: hook }, caller);
  const { id: delivery_id } = await testWebhook(deps, { params: { webhook_id } }, caller);
  const provider_id = await aProvider(world);
  const [issuer = ''] = deps.tokenIssuers.issuers;
  const about = { name: 'r', issuer, repository_id: '1', role: 'viewer' } as const;
  const { id: rule_id } = await createTokenRule(deps, { body: about }, caller);
  const made = { key_id, member_id, integration_id, webhook_id, delivery_id, provider_id, rule_id };
  return { listener_id, deployment_id, revision_id, task_id, ...made };
}

/** What belongs to one user alone: a token, which an agent uses. */
async function ownThings(
  { deps, caller }: Pick<World, 'deps' | 'caller'>,
  { provider_id }: Record<string, string>,
): Promise<Record<string, string>> {
  const body = importTokenRow.body.parse({ provider_id, access_token: 'a-token' });
  const { id: token_id } = await importToken(deps, { body }, caller);
  const agent_id = `agent of ${caller.tenantId}`;
  const wish = { params: { agent_id }, body: { oauth_token_id: token_id } };
  const { id: connection_id } = await createConnection(deps, wish, caller);
  const asked = authenticateRow.body.parse({ provider: provider_id, scopes: ['more'] });
  const { auth_id } = await authenticate(deps, { body: asked, baseUrl: 'https://api.example' }, caller);
  return { token_id, agent_id, connection_id, auth_id: auth_id ?? '' };
}

/** Nobody listens at its addresses: what it publishes of itself is nothing, at once. */
async function aProvider({ deps, caller }: World): Promise<string> {
  const body = createProviderRow.body.parse({
    provider_id: deps.clock.randomId(),
    ...{ name: 'p', client_id: 'c', client_secret: 's' },
    ...{ auth_url: 'http://127.0.0.1:1/auth', token_url: 'http://127.0.0.1:1/token' },
  });
  return (await createProvider(deps, { body }, caller)).provider_id;
}
