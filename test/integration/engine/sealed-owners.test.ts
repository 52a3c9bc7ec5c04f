import { gzipSync } from 'node:zlib';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../lib/adapters/git.ts';
import type { KeyContext, Keys } from '../../../lib/adapters/keys.ts';
import { type FunctionName, type FunctionRow, functionRows } from '../../../lib/contract/functions.ts';
import { REFUSED } from '../../../lib/contract/notes.ts';
import type { RevisionRef } from '../../../lib/contract/refs.ts';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { createIntegration as createIntegrationRow } from '../../../lib/features/integrations/routes.ts';
import { createWebhook } from '../../../lib/features/webhooks/create.ts';
import { testWebhook } from '../../../lib/features/webhooks/request-delivery.ts';
import { createWebhook as createWebhookRow } from '../../../lib/features/webhooks/routes.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { codeBuildEventOf } from '../../../lib/triggers/build-event.ts';
import { aStoredProvider } from '../../support/oauth/grants.ts';
import { anOAuthProvider, type TestProvider } from '../../support/oauth/provider.ts';
import { bring, remove } from '../../support/oauth/requests.ts';
import { limited } from '../../support/table/limited-table.ts';
import { fakeGit } from '../../support/world/fake-git.ts';
import { COMMIT, inProgress } from '../../support/world/processed.ts';
import { change, github, post, register } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

/** A tenant with a revision that a function works on, and with one thing of each kind that is sealed. */
type Tenant = {
  world: World;
  integrationId: string;
  ref: RevisionRef;
  /** Of a deployment that names the integration of another tenant. */
  crossed: RevisionRef;
};

type Scene = { world: World; server: TestProvider; tenants: Tenant[] };
/** What a function is called with for one revision, when all has been made ready for it. */
type Calling = (scene: Scene, tenant: Tenant, ref: RevisionRef) => unknown;

type Case = {
  /** The status that the revisions have. */
  status: RevisionStatus;
  event: Calling;
  /** The kinds of things that it opens for its tenant, as their contexts name them. */
  opens: string[];
  /** What says that it has done its work. */
  answers?: unknown;
};

const state = (_: Scene, __: Tenant, ref: RevisionRef) => ({ ...ref, attempt: 1, token: 'token', retry: 0 });

/** Everything of the tenant as if it had just been written. */
const written: Calling = async ({ world }, { ref }) => {
  const items = (await allItems(world.deps.table)).filter(({ pk }) => String(pk).includes(ref.tenantId));
  expect(items.length).toBeGreaterThan(5);
  const Records = items.map((item, at) => {
    const NewImage = marshall(item, { removeUndefinedValues: true });
    const Keys = { pk: NewImage.pk, sk: NewImage.sk };
    return { dynamodb: { SequenceNumber: String(at), ApproximateCreationDateTime: 1, Keys, NewImage } };
  });
  return { Records };
};

const logged = (logStream: string, message: string) => {
  const logEvents = [{ timestamp: Date.now(), message }];
  const text = JSON.stringify({ messageType: 'DATA_MESSAGE', logStream, logEvents });
  return { awslogs: { data: gzipSync(text).toString('base64') } };
};

const refusalOf = ({ caller, deps }: World): string =>
  JSON.stringify({
    ...{ message: REFUSED, id: deps.clock.randomId(), hour: 3_600_000, count: 1, caller: 'a' },
    ...{ tenant_id: caller.tenantId, organization_id: caller.organizationId },
  });

/** A token of the tenant that its provider has yet to be told of. */
const pendingRevocation: Calling = async ({ server }, { world }) => {
  const { id } = await bring(world, { access_token: 'a-token', refresh_token: 'another' });
  server.faults.revocation = 503;
  await remove(world, id);
  server.faults.revocation = undefined;
  return { all: true };
};

/** A webhook of the tenant that was asked for a test; nobody listens at its address. */
const askedForTest: Calling = async (_, { world: { deps, caller } }) => {
  const { tenantId } = caller;
  const body = createWebhookRow.body.parse({ url: 'http://127.0.0.1:9/' });
  const { id: webhookId } = await createWebhook(deps, { body }, caller);
  const { id: deliveryId } = await testWebhook(deps, { params: { webhook_id: webhookId } }, caller);
  return { tenantId, webhookId, deliveryId };
};

/** The listener of the tenant's deployments. */
const itsListener: Calling = async (_, { world: { deps } }, { tenantId, deploymentId }) => ({
  tenantId,
  listenerId: (await findDeployment(deps.table, tenantId, deploymentId))?.listener_id ?? 'none',
});

/** Of all tenants this one alone builds pushes. */
const watchedHead: Calling = async ({ tenants }, tenant) => {
  for (const { world, ref } of tenants) {
    const source_config = { build_on_push: ref === tenant.ref };
    await change(world, ref.deploymentId, { source_config });
    // After one that failed the next look is not due for a while.
    world.advance(24 * 3600);
  }
  return { all: true };
};

const cases = {
  prepare: {
    status: 'QUEUED',
    event: state,
    opens: ['deployment', 'integration'],
    answers: { path: 'end' },
  },
  build: { status: 'AWAITING_BUILD', event: state, opens: ['deployment', 'integration'] },
  deploy: { status: 'AWAITING_BUILD', event: state, opens: [] },
  finish: {
    status: 'AWAITING_BUILD',
    event: (...of) => ({ ...state(...of), error: { Error: 'States.TaskFailed' } }),
    opens: ['integration'],
  },
  dispatch: { status: 'AWAITING_BUILD', event: written, opens: [], answers: { batchItemFailures: [] } },
  events: { status: 'AWAITING_BUILD', event: written, opens: [], answers: { batchItemFailures: [] } },
  deliver: { status: 'AWAITING_BUILD', event: askedForTest, opens: ['webhook'] },
  socket: {
    status: 'AWAITING_BUILD',
    event: () => ({ requestContext: { eventType: 'DISCONNECT', connectionId: 'one', requestId: 'a' } }),
    opens: [],
    answers: { statusCode: 200 },
  },
  ring: { status: 'AWAITING_BUILD', event: itsListener, opens: [] },
  sweep: {
    status: 'AWAITING_BUILD',
    event: () => ({ all: true }),
    opens: [],
    answers: { looked: 6, left: 0 },
  },
  revocations: {
    status: 'AWAITING_BUILD',
    event: pendingRevocation,
    opens: ['oauth_provider', 'oauth_token'],
    answers: { looked: 1, failed: 0 },
  },
  heads: {
    status: 'AWAITING_BUILD',
    event: watchedHead,
    opens: ['integration'],
    answers: { looked: 1, made: 0, failed: 1 },
  },
  buildChanged: {
    status: 'AWAITING_BUILD',
    event: (_, __, ref) => codeBuildEventOf({ buildId: `build-${ref.revisionId}`, ref }),
    opens: [],
  },
  executionEnded: {
    status: 'AWAITING_BUILD',
    event: (_, __, ref) => ({ detail: { input: JSON.stringify(ref) } }),
    opens: [],
  },
  ingestLogs: {
    status: 'BUILDING',
    event: (_, __, { tenantId, deploymentId, revisionId }) =>
      logged(`${tenantId}/${deploymentId}/${revisionId}`, 'a line'),
    opens: ['deployment'],
  },
  takeNotes: {
    status: 'AWAITING_BUILD',
    event: (_, { world }) => logged('one', refusalOf(world)),
    opens: [],
  },
} as const satisfies Record<FunctionName, Case>;

async function aTenant(world: World): Promise<Omit<Tenant, 'ref' | 'crossed'>> {
  await register(world, 'machine');
  const body = createIntegrationRow.body.parse({ type: 'github', host: 'example.com', token: 'its-token' });
  const { id: integrationId } = await createIntegration(world.deps, { body }, world.caller);
  return { world, integrationId };
}

/** Until a revision is prepared its commit is not known. */
const commitIn = (status: RevisionStatus) => (status === 'QUEUED' ? {} : { commit: COMMIT });

/** A deployment with secrets, whose revision is in the slot, with the integration of `named`. */
async function aRevision(
  { world, integrationId }: Omit<Tenant, 'ref' | 'crossed'>,
  status: RevisionStatus,
  named = integrationId,
): Promise<RevisionRef> {
  const { deps, caller } = world;
  const source_config = { repo_url: 'https://example.com/repo.git', integration_id: integrationId };
  const secrets = [{ name: 'PASSWORD', value: `of ${caller.tenantId}` }];
  const { id } = await post(world, github(`of-${named}`, { source_config, secrets }));
  const revision = await inProgress(world, id, status, commitIn(status));
  if (named !== integrationId)
    await deps.table.client.send(
      new UpdateCommand({
        TableName: deps.table.name,
        Key: deploymentKey(caller.tenantId, id),
        UpdateExpression: 'SET config.integration_id = :named',
        ConditionExpression: 'config.integration_id = :own',
        ExpressionAttributeValues: { ':named': named, ':own': integrationId },
      }),
    );
  return { tenantId: caller.tenantId, deploymentId: id, revisionId: revision.id };
}

/** Two tenants of one organization, and one of another. */
async function aScene(status: RevisionStatus): Promise<Scene> {
  const world = await aWorld();
  // What git says is shown, with the secrets of the revision taken out of it: so they are opened as well.
  world.deps.git = fakeGit(async () => {
    throw new SourceError('no such repository');
  });
  const [server, { randomId }] = [await anOAuthProvider(), world.deps.clock];
  const [one, other] = [randomId(), randomId()];
  const made = [];
  for (const organizationId of [one, one, other])
    made.push(await aTenant(world.as({ tenantId: randomId(), organizationId, userId: randomId() })));
  for (const organizationId of [one, other])
    await aStoredProvider({ ...world, caller: { ...world.caller, organizationId } }, server);
  const tenants: Tenant[] = [];
  for (const [at, tenant] of made.entries()) {
    const { integrationId } = made[(at + 1) % made.length] ?? tenant;
    const ref = await aRevision(tenant, status);
    tenants.push({ ...tenant, ref, crossed: await aRevision(tenant, status, integrationId) });
  }
  return { world, server, tenants };
}

/** The function as its file makes it, with the access of its row; every key that it opens is in `opened`. */
async function recorded(row: FunctionRow, { deps }: World) {
  const opened: KeyContext[] = [];
  const keys: Keys = {
    ...deps.keys,
    openDataKey: (wrapped, context) => {
      opened.push(context);
      return deps.keys.openDataKey(wrapped, context);
    },
  };
  // Each file exports `create`: what makes its handler calls it.
  const entry = (await import(/* @vite-ignore */ `../../../${row.handler}`)) as {
    create: (of: () => typeof deps) => (event: unknown) => Promise<unknown>;
  };
  const handler = entry.create(() => limited({ ...deps, keys }, row.access));
  return { call: handler, taken: () => opened.splice(0) };
}

/** A provider's secret is its organization's, everything else a tenant's. */
const belongsTo = ({ world: { caller } }: Tenant, { tenant, organization }: KeyContext): boolean =>
  tenant === undefined ? organization === caller.organizationId : tenant === caller.tenantId;

const kindsOf = (contexts: KeyContext[]): string[] => {
  const names = contexts.flatMap((context) => Object.keys(context));
  return [...new Set(names)].filter((name) => name !== 'tenant' && name !== 'organization').toSorted();
};

describe('every function that no request calls', () => {
  it.each(Object.entries<FunctionRow>(functionRows))(
    '%s opens what is sealed for the tenant that it works for, and nothing of another',
    async (name, row) => {
      // A row without a case here does not compile.
      const { status, event, opens, answers }: Case = cases[name as FunctionName];
      expect(opens.length > 0).toBe(row.access.includes('keys:decrypt'));
      const scene = await aScene(status);
      const { call, taken } = await recorded(row, scene.world);
      for (const [at, tenant] of scene.tenants.entries()) {
        const other = scene.tenants[(at + 1) % scene.tenants.length]?.ref ?? tenant.ref;
        const { tenantId } = tenant.ref;
        // Of nothing: some functions say so, others pass it over.
        for (const ref of [
          { ...other, tenantId },
          { ...tenant.ref, revisionId: other.revisionId },
        ])
          await call(await event(scene, tenant, ref)).catch(() => undefined);
        await call(await event(scene, tenant, tenant.crossed));
        const aside = taken();
        expect(await call(await event(scene, tenant, tenant.ref))).toEqual(answers);
        const own = taken();
        expect(kindsOf(own)).toEqual(opens);
        expect([...aside, ...own].filter((context) => !belongsTo(tenant, context))).toEqual([]);
      }
    },
  );
});
