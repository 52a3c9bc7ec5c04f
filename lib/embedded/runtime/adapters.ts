import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiDocs } from '../../adapters/api-docs.ts';
import { askedBriefly } from '../../adapters/brief-repositories.ts';
import type { CliFiles } from '../../adapters/cli-files.ts';
import { systemClock } from '../../adapters/clock.ts';
import type { ConsoleFiles } from '../../adapters/console-files.ts';
import { idOfRing } from '../../adapters/doorbell.ts';
import type { HeadPlace } from '../../adapters/head-waker.ts';
import { oidcProvider } from '../../adapters/identity-provider.ts';
import { noRegistry } from '../../adapters/images.ts';
import { createCommitStatuses } from '../../adapters/outbound/commit-statuses.ts';
import { createGuardedFetch } from '../../adapters/outbound/guarded-fetch.ts';
import { openOAuth } from '../../adapters/outbound/oauth/client.ts';
import { openOAuthDiscovery } from '../../adapters/outbound/oauth/discovery.ts';
import { createRepositoryLists } from '../../adapters/outbound/repository-lists.ts';
import { createTokenChecks } from '../../adapters/outbound/token-checks.ts';
import { openWebhookSender } from '../../adapters/outbound/webhook-sender.ts';
import type { SignIn } from '../../adapters/sign-in.ts';
import { issuerAnswers, tokenIssuers } from '../../adapters/token-issuers.ts';
import { idOfWake, type Wake } from '../../adapters/webhook-waker.ts';
import type { ListenerRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { unkeyed } from '../../core/idempotency.ts';
import { type KeyUses, onceAnHour } from '../../core/identity/key-uses.ts';
import { UPLOAD_SIZE_BYTES_MAX } from '../../core/items/uploads.ts';
import { noteKeyUse } from '../../features/api-keys/note-use.ts';
import { writtenAuditLog } from '../../features/audit/take-notes.ts';
import type { Log } from '../../listener/log.ts';
import type { Processes } from '../../processes/run-command.ts';
import { isLoopbackHost } from '../../serving/hosts.ts';
import { installedApiDocs } from '../api-docs.ts';
import { createDiskBlobs, type DiskBlobs } from '../blobs/disk.ts';
import { type Builder, openBuilder } from '../builder/builder.ts';
import { createChanges, type EmbeddedChanges } from '../changes.ts';
import { bundledCli } from '../cli-files.ts';
import { bundledConsole } from '../console-files.ts';
import type { RuntimeSettings } from '../environment.ts';
import { createEmbeddedEvents } from '../events.ts';
import { createEmbeddedSockets, type EmbeddedSockets, embeddedDoorbell } from '../gateway/sockets.ts';
import { createSystemGit } from '../git/system-git.ts';
import { createSystemRepositories } from '../git/system-repositories.ts';
import { openFileKeys } from '../keys.ts';
import { openLogStore } from '../logs/store.ts';
import { createServerCaller } from '../server-caller.ts';
import { createTaskNotifier, type EmbeddedTaskNotifier } from '../task-notifier.ts';
import { createEmbeddedWaker, type EmbeddedWaker } from '../waker.ts';
import { type EmbeddedWorkflow, openWorkflow } from '../workflow/open.ts';
import type { Database } from './database.ts';
import { taskHandlers } from './handlers.ts';

/** The ports as they are filled here: each also has what only this runtime uses. */
export type EmbeddedDeps = Deps & {
  blobs: DiskBlobs;
  builds: Builder;
  taskNotifier: EmbeddedTaskNotifier;
  changes: EmbeddedChanges;
  webhookWaker: EmbeddedWaker<Wake>;
  headWaker: EmbeddedWaker<HeadPlace>;
  doorbellWaker: EmbeddedWaker<ListenerRef>;
  sockets: EmbeddedSockets;
  workflow: EmbeddedWorkflow;
  apiDocs: ApiDocs;
  consoleFiles: ConsoleFiles;
  cliFiles: CliFiles;
  signIn: SignIn;
  /** Uploads come to this machine too. */
  uploadOrigin: undefined;
  /** Origins of the agents for a page that is opened at `baseUrl`. */
  agentOrigins: (baseUrl: string) => readonly string[];
};

type Parts = {
  settings: RuntimeSettings;
  database: Database;
  processes: Processes;
  opened: AsyncDisposableStack;
  log: Log;
  baseUrl: () => string;
  /** Known once the listener has one. */
  agentsPort: () => number | undefined;
};

const stateMachine = new URL('../../../statemachines/revision.asl.json', import.meta.url);

/** Fills the ports from the data folder. */
export async function openAdapters(parts: Parts): Promise<EmbeddedDeps> {
  const { settings, database, processes, opened, baseUrl } = parts;
  const inData = (...names: string[]) => join(settings.dataFolder, ...names);
  const clock = systemClock;
  const keys = await openFileKeys(inData('secret.key'));
  const signingKey = keys.deriveKey('blob urls');
  const blobs = createDiskBlobs({
    folder: inData('blobs'),
    baseUrl,
    signingKey,
    now: clock.now,
    uploadBytesMax: UPLOAD_SIZE_BYTES_MAX,
  });
  const store = openLogStore({ path: inData('logs.db'), now: clock.now });
  opened.defer(() => store.close());
  const changes = createChanges();
  const logs = changes.heardOf(store);
  const git = createSystemGit(processes, { lookSeconds: settings.lookSeconds });
  const limits = { buildSeconds: settings.buildSeconds };
  const builds = await openBuilder({ dataFolder: settings.dataFolder, logs, processes, git, blobs, limits });
  opened.defer(() => builds.close());
  const taskNotifier = createTaskNotifier();
  const beside = { taskNotifier, changes, images: noRegistry, registry: undefined, idempotency: unkeyed };
  const events = createEmbeddedEvents((event) => parts.log.debug(`event ${JSON.stringify(event)}`));
  const base = { table: database.table, clock, keys, blobs, logs, git, builds, events, ...beside };
  const workflow = await openRevisionWorkflow(parts, () => deps);
  opened.defer(() => workflow.close());
  const identity = {
    identityProvider: oidcProvider(settings.oidc, clock.now),
    keyUses: writtenKeyUses(parts),
  };
  const allowed = appSettings(settings);
  const written = { table: database.table, settings: allowed };
  const auditLog = writtenAuditLog(written, (error) => parts.log.error(`audit: ${String(error)}`));
  const { addresses } = allowed;
  const outbound = {
    oauth: openOAuth(addresses),
    oauthDiscovery: openOAuthDiscovery(addresses),
    webhookSender: openWebhookSender(addresses),
    webhookWaker: createEmbeddedWaker(idOfWake, (error) => parts.log.error(`webhooks: ${String(error)}`)),
    headWaker: createEmbeddedWaker(
      ({ pk, sk }: HeadPlace) => `${pk} ${sk}`,
      (error) => parts.log.error(`heads: ${String(error)}`),
    ),
    ...doorbellOf(parts.log),
    commitStatuses: createCommitStatuses(createGuardedFetch(addresses)),
    repositoryLists: createRepositoryLists(createGuardedFetch(addresses)),
    tokenChecks: createTokenChecks(createGuardedFetch(addresses)),
    repositories: askedBriefly(createSystemRepositories({ processes, git }), clock.now),
    tokenIssuers: tokenIssuers(
      { issuers: settings.tokenIssuers, own: settings.oidc?.issuer },
      () => createGuardedFetch(addresses, issuerAnswers),
      clock.now,
    ),
    serverCaller: createServerCaller(parts.agentsPort),
  };
  const pages = { apiDocs: installedApiDocs, consoleFiles: bundledConsole(), cliFiles: bundledCli() };
  const agentOrigins = (pageUrl: string) => originsHere(pageUrl, parts.agentsPort());
  const signingIn = { signIn: settings.signIn, uploadOrigin: undefined, agentOrigins };
  const rest = { ...pages, ...signingIn, ...outbound, auditLog, settings: allowed };
  const deps: EmbeddedDeps = { ...base, ...identity, workflow, ...rest };
  return deps;
}

/** What listeners are rung with. */
function doorbellOf(log: Log): Pick<EmbeddedDeps, 'doorbell' | 'doorbellWaker' | 'sockets'> {
  const onError = (error: unknown) => log.error(`doorbell: ${String(error)}`);
  return {
    doorbell: embeddedDoorbell,
    doorbellWaker: createEmbeddedWaker(idOfRing, onError),
    sockets: createEmbeddedSockets(onError),
  };
}

/** For a browser on another machine `localhost` is that machine, which no agent of ours answers at. */
function originsHere(pageUrl: string, agentsPort: number | undefined): string[] {
  if (agentsPort === undefined || !isLoopbackHost(new URL(pageUrl).hostname)) return [];
  return [`http://localhost:${agentsPort}`, `http://*.localhost:${agentsPort}`];
}

/**
 * Here nothing stands between a request and the table: what functions say in their logs is written at once,
 * behind the answer.
 */
const writtenKeyUses = ({ database, log }: Parts): KeyUses =>
  onceAnHour((use) => {
    noteKeyUse(database, use).catch((error: unknown) => log.debug(`use of a key: ${String(error)}`));
  });

async function openRevisionWorkflow({ settings, log }: Parts, deps: () => Deps): Promise<EmbeddedWorkflow> {
  return openWorkflow({
    definition: await readFile(stateMachine, 'utf8'),
    handlers: await taskHandlers(deps),
    namesFile: join(settings.dataFolder, 'executions.db'),
    now: systemClock.now,
    onFailure: (name, error) => log.error(`execution ${name} failed: ${error.message}`),
  });
}

const appSettings = (settings: RuntimeSettings): Deps['settings'] => ({
  allowFileRepositories: true,
  registryHost: undefined,
  unclaimedSeconds: settings.unclaimedSeconds,
  silentSeconds: settings.silentSeconds,
  buildSeconds: settings.buildSeconds,
  buildQueueSeconds: settings.buildQueueSeconds,
  keptArtifacts: settings.keptArtifacts,
  auditDays: settings.auditDays,
  keyDays: settings.keyDays,
  limits: settings.limits,
  defaultRuntime: settings.defaultRuntime,
  addresses: { allowedHosts: settings.allowedHosts, loopback: true },
  singleTenant: !settings.moreTenants,
});
