import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/adapters/clock.ts';
import { noRegistry } from '../../../lib/adapters/images.ts';
import { createGuardedFetch } from '../../../lib/adapters/outbound/guarded-fetch.ts';
import { openOAuth } from '../../../lib/adapters/outbound/oauth/client.ts';
import { openOAuthDiscovery } from '../../../lib/adapters/outbound/oauth/discovery.ts';
import { openWebhookSender } from '../../../lib/adapters/outbound/webhook-sender.ts';
import { neverWait } from '../../../lib/adapters/task-notifier.ts';
import { tokenIssuers } from '../../../lib/adapters/token-issuers.ts';
import type { Caller } from '../../../lib/core/caller.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { unkeyed } from '../../../lib/core/idempotency.ts';
import type { DiskBlobs } from '../../../lib/embedded/blobs/disk.ts';
import { createEmbeddedEvents, type EmbeddedEvents } from '../../../lib/embedded/events.ts';
import { openFileKeys } from '../../../lib/embedded/keys.ts';
import { openLogStore } from '../../../lib/embedded/logs/store.ts';
import { createUploadUrl } from '../../../lib/features/uploads/create-upload-url.ts';
import { installationDefaults, limitDefaults } from '../../../lib/settings/defaults.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { freshTable } from '../table/dynoxide.ts';
import { blobsIn, bytes } from './blobs.ts';
import { aCaller } from './caller.ts';
import { FakeBuilds } from './fake-builds.ts';
import { fakeGit } from './fake-git.ts';

export { allItems } from '../table/all-items.ts';

/**
 * The use cases on a real table, without the stream and the state machine: nothing moves but what the test
 * calls.
 */
export type World = {
  deps: Deps & { builds: FakeBuilds; events: EmbeddedEvents };
  /** Files of this world alone. */
  folder: string;
  blobs: DiskBlobs;
  /** Files of a deployment that are stored. */
  filesOf(deploymentId: string): Promise<string[]>;
  /** Stores a tarball as a client would that asked for an upload URL, and gives its path. */
  upload(deploymentId: string, content?: string): Promise<string>;
  caller: Caller;
  /** Moves the clock that everything reads. */
  advance(seconds: number): void;
  /** The same installation, asked by somebody else; by default by a user of another tenant. */
  as(changes?: Partial<Caller>): World;
};

const absentWorkflow: Deps['workflow'] = {
  start: async () => 'already_exists',
  status: async () => 'failed',
  succeed: async () => 'gone',
  fail: async () => 'gone',
};

/** A host that nothing was pushed to. */
const emptyRepositories: Deps['repositories'] = {
  branches: async () => ({ defaultBranch: undefined, commits: new Map() }),
  history: async () => undefined,
  files: async () => undefined,
};

/** A host that takes every token and says nothing of it. */
const takenToken: Awaited<ReturnType<Deps['tokenChecks']['check']>> = {
  ...{ isTaken: true, user: undefined, expiresAt: undefined, scopes: undefined },
  ...{ mayRead: undefined, maySetStatuses: undefined, missing: [] },
};

/** What goes by the log is for the tests that are about it. */
const unheardAuditLog: Deps['auditLog'] = { handedOut: () => undefined, refused: () => undefined };

/**
 * Time passes so much more slowly than outside, unless a test moves it on: on a busy machine a lease must not
 * run out between two lines of a test, and who waits for a moment to come must not wait for ever.
 */
const SLOWER = 20;

/** Nothing that a test says is signed by it, so it is never asked. */
const ISSUER = 'https://token.actions.githubusercontent.com';

export async function aWorld(settings: Partial<Deps['settings']> = {}): Promise<World> {
  const folder = await temporaryFolder();
  let offset = 0;
  const start = Date.now();
  const passed = () => Math.floor((Date.now() - start) / SLOWER);
  const clock = { ...systemClock, now: () => start + passed() + offset };
  const logs = openLogStore({ path: ':memory:', now: clock.now });
  onTestFinished(() => logs.close());
  const blobs = blobsIn(folder);
  const deps: World['deps'] = {
    table: await freshTable(),
    clock,
    keys: await openFileKeys(join(folder, 'key')),
    blobs,
    logs,
    git: fakeGit(async () => 'c'.repeat(40)),
    commitStatuses: { set: async () => undefined },
    repositoryLists: { list: async () => [] },
    repositories: emptyRepositories,
    tokenChecks: { check: async () => takenToken },
    tokenIssuers: tokenIssuers(
      { issuers: [ISSUER], own: undefined },
      () => createGuardedFetch({ allowedHosts: [], loopback: true }),
      clock.now,
    ),
    builds: new FakeBuilds(),
    workflow: absentWorkflow,
    events: createEmbeddedEvents(),
    taskNotifier: neverWait,
    images: noRegistry,
    registry: undefined,
    oauth: openOAuth({ allowedHosts: [], loopback: true }),
    oauthDiscovery: openOAuthDiscovery({ allowedHosts: [], loopback: true }),
    webhookSender: openWebhookSender({ allowedHosts: [], loopback: true }),
    webhookWaker: { wake: async () => undefined },
    headWaker: { wake: async () => undefined },
    sockets: { send: async () => 'gone', close: async () => undefined },
    idempotency: unkeyed,
    auditLog: unheardAuditLog,
    settings: {
      allowFileRepositories: true,
      registryHost: undefined,
      ...installationDefaults,
      limits: { ...limitDefaults },
      addresses: { allowedHosts: [], loopback: true },
      ...settings,
    },
  };
  const asked = (caller: Caller): World => ({
    deps,
    folder,
    caller,
    blobs,
    filesOf: async (deploymentId) => {
      const entries = await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true });
      const paths = entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
      return paths.filter((path) => path.includes(deploymentId));
    },
    upload: async (deploymentId, content = 'a tarball') => {
      const params = { deployment_id: deploymentId };
      const { object_path: path } = await createUploadUrl(deps, { params }, caller);
      await blobs.put(path, bytes(content));
      return path;
    },
    advance: (seconds) => {
      offset += seconds * 1000;
    },
    as: (changes) =>
      asked({
        ...caller,
        ...(changes ?? { tenantId: clock.randomId(), userId: clock.randomId(), keyId: clock.randomId() }),
      }),
  });
  return asked(aCaller({ tenantId: clock.randomId() }));
}
