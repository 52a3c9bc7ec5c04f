import { join } from 'node:path';
import { inspect } from 'node:util';
import type { DynamoDBRecord } from 'aws-lambda';
import { routes } from '../../contract/routes/index.ts';
import type { Log } from '../../listener/log.ts';
import { limitsOfPlatform } from '../../processes/platform.ts';
import type { Processes } from '../../processes/run-command.ts';
import { ProcessSupervisor } from '../../processes/supervisor.ts';
import { checkDataFormat } from '../data-folder/format.ts';
import { lockDataFolder } from '../data-folder/lock.ts';
import type { RuntimeSettings } from '../environment.ts';
import { injectFaults } from '../faults.ts';
import { type Gateway, startGateway } from '../gateway/server.ts';
import { openStream, type Stream } from '../stream/open.ts';
import { wakeOnWrite } from '../stream/wake-on-write.ts';
import { type EmbeddedDeps, openAdapters } from './adapters.ts';
import { type ConsoleLinks, openConsoleLinks } from './console-link.ts';
import { type Database, openDatabase } from './database.ts';
import {
  apiHandler,
  buildChangedHandler,
  deliverHandler,
  doorbellHandlers,
  headsHandler,
  streamConsumers,
} from './handlers.ts';
import { ensureCredentials, ensureListener } from './identity.ts';
import { type ListenerChild, startListenerChild } from './listener-child.ts';
import { type Ownership, takeOwnership } from './ownership.ts';
import { chooseAgentsPort, isPortTaken, PortTaken } from './ports.ts';
import { openSchedules } from './schedules.ts';

export type Runtime = {
  baseUrl: string;
  agentsUrl: string;
  apiKey: string;
  tenantId: string;
  /** Signs in to the console, once. */
  consoleUrl: string;
  /** What a person should know of this machine's limits, a sentence each. */
  notices: string[];
  /** How long records took from their write to dispatch, since the last call. */
  lag: Stream['lag'];
  history: EmbeddedDeps['workflow']['history'];
  pids(): { listener: number | undefined };
  /** Ends everything; nothing that was started is alive afterwards. */
  stop(): Promise<void>;
};

type Start = {
  settings: RuntimeSettings;
  log: Log;
  /** Prints the listener's lines. */
  print: (line: string) => void;
  environment: NodeJS.ProcessEnv;
};

/**
 * Starts everything on the data folder. Throws AlreadyRunning, PortTaken, or what else is in the way, with
 * nothing left running.
 */
export async function startRuntime(start: Start): Promise<Runtime> {
  const opened = new AsyncDisposableStack();
  // What fails to close does not keep the rest open, and is not what the caller has to hear of.
  const stop = () =>
    opened.disposeAsync().catch((error: unknown) => start.log.error(`closing: ${describe(error)}`));
  try {
    return { ...(await compose(start, opened)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** All that failed, as the stack nests it. */
function describe(error: unknown): string {
  if (error instanceof SuppressedError) return `${describe(error.suppressed)}\n${describe(error.error)}`;
  return inspect(error);
}

async function compose(start: Start, opened: AsyncDisposableStack): Promise<Omit<Runtime, 'stop'>> {
  const { settings, log, environment } = start;
  const limits = limitsOfPlatform();
  const supervisor = new ProcessSupervisor();
  const lock = await lockDataFolder(settings.dataFolder, supervisor.id).catch(async (error: unknown) => {
    await supervisor.close();
    throw error;
  });
  opened.defer(() => lock.release());
  opened.defer(() => supervisor.close());
  const processes = lock.processes(supervisor);
  await checkDataFormat(settings.dataFolder);
  const database = await openDatabase(settings.dataFolder, processes, log, environment);
  opened.defer(() => database.close());
  openFaults(start, database);
  const ownership = await takeOwnership({
    table: database.table,
    dataFolder: settings.dataFolder,
    now: Date.now,
    onError: log.error,
  });
  opened.defer(() => ownership.close());
  let gateway: Gateway | undefined;
  const baseUrl = () => `http://localhost:${gateway?.port ?? settings.port}`;
  let agentsPort: number | undefined;
  const addresses = { baseUrl, agentsPort: () => agentsPort };
  const adapters = await openAdapters({ settings, database, processes, opened, log, ...addresses });
  const deps = { ...adapters, ownerId: ownership.id };
  let consoleLinks: ConsoleLinks | undefined;
  const onRecord = (record: DynamoDBRecord) => {
    deps.taskNotifier.notice(record);
    deps.changes.notice(record);
    consoleLinks?.notice(record);
  };
  const stream = await openEngine(start, deps, { ...database, ownership, onRecord }, opened);
  gateway = await openGateway(start, deps, opened);
  const { credentials, owner } = await ensureCredentials(deps, settings.dataFolder, baseUrl());
  const links = { apiKey: credentials.api_key, baseUrl: baseUrl(), print: start.print, onError: log.error };
  const { url: consoleUrl, close } = (consoleLinks = await openConsoleLinks(deps, links));
  opened.defer(close);
  const choosePort = (before: number | undefined) => chooseAgentsPort(settings.agentsPort, before);
  const identity = await ensureListener(deps, settings.dataFolder, owner, choosePort);
  agentsPort = identity.agents_port;
  const listener = openListener(start, processes, baseUrl(), identity);
  opened.defer(() => listener.stop());
  return {
    baseUrl: baseUrl(),
    agentsUrl: `http://localhost:${identity.agents_port}/d`,
    apiKey: credentials.api_key,
    tenantId: credentials.tenant_id,
    consoleUrl,
    notices: database.notice === undefined ? limits : [database.notice, ...limits],
    lag: () => stream.lag(),
    history: (name) => deps.workflow.history(name),
    pids: () => ({ listener: listener.pid() }),
  };
}

function openFaults({ settings: { faults }, log }: Start, { table }: Database): void {
  if (faults === undefined) return;
  const percent = Math.round(faults.transactionConflict * 100);
  log.warn(`SLIPWAY_FAULTS: ${percent} % of the writes fail on purpose (seed ${faults.seed})`);
  injectFaults(table.client, faults, () => log.debug('SLIPWAY_FAULTS: transaction conflict'));
}

/** What moves revisions forward: the stream's consumers, the build events and the sweep. */
async function openEngine(
  { settings, log }: Start,
  deps: EmbeddedDeps,
  database: Database & { ownership: Ownership; onRecord: (record: DynamoDBRecord) => void },
  opened: AsyncDisposableStack,
): Promise<Stream> {
  const buildChanged = await buildChangedHandler(() => deps);
  let isClosing = false;
  deps.builds.onChange((changed) => {
    // A build that ends because we end is found by the next run.
    if (isClosing) return;
    buildChanged(changed).catch((error: unknown) =>
      log.error(`build event ${changed.buildId}: ${String(error)}`),
    );
  });
  const deliver = await deliverHandler(() => deps);
  deps.webhookWaker.onWake(async (wake) => {
    // Another runtime that has the table delivers what is to be delivered.
    if (database.ownership.holds()) await deliver(wake);
  });
  opened.defer(() => deps.webhookWaker.close());
  const heads = await headsHandler(() => deps);
  deps.headWaker.onWake(async (head) => {
    if (database.ownership.holds()) await heads(head);
  });
  opened.defer(() => deps.headWaker.close());
  const { onSocket, onRing } = await doorbellHandlers(() => deps);
  deps.sockets.onEvent(onSocket);
  deps.doorbellWaker.onWake(onRing);
  opened.defer(() => deps.doorbellWaker.close());
  const stream = await openStream({
    client: database.streams,
    streamArn: database.streamArn,
    dataFolder: settings.dataFolder,
    consumers: await streamConsumers(() => deps),
    isPaused: () => !database.ownership.holds(),
    onRecord: database.onRecord,
    onError: log.error,
    onDelivered: (consumer, records, lag) =>
      log.debug(`stream: ${records} records to ${consumer}, lag_ms=${lag?.toFixed(1) ?? 'unknown'}`),
  });
  opened.defer(() => {
    isClosing = true;
    return stream.close();
  });
  wakeOnWrite(database.table.client, () => stream.wake());
  await openSchedules({ settings, log, stream, database, deps, opened });
  return stream;
}

async function openGateway(
  { settings, log }: Start,
  deps: EmbeddedDeps,
  opened: AsyncDisposableStack,
): Promise<Gateway> {
  try {
    const gateway = await startGateway({
      port: settings.port,
      routes,
      handlerOf: (row) => apiHandler(row, () => deps),
      corsOrigins: settings.corsOrigins,
      publicHosts: settings.publicHosts,
      trustProxy: settings.trustProxy,
      upgrade: deps.sockets.upgrade,
      serveBlob: (request, response) => deps.blobs.serve(request, response),
      onError: (error, what) => log.error(`${what}: ${error instanceof Error ? error.stack : String(error)}`),
    });
    opened.defer(async () => {
      // Claims that wait for work would be the last to end.
      deps.taskNotifier.close();
      deps.sockets.end();
      await gateway.close();
    });
    return gateway;
  } catch (error) {
    throw isPortTaken(error) ? new PortTaken(settings.port, 'PORT') : error;
  }
}

function openListener(
  { settings, log, print }: Start,
  processes: Processes,
  baseUrl: string,
  identity: { listener_id: string; api_key: string; agents_port: number },
): ListenerChild {
  return startListenerChild({
    processes,
    log,
    print,
    baseUrl,
    listenerId: identity.listener_id,
    apiKey: identity.api_key,
    dataFolder: join(settings.dataFolder, 'listener'),
    agentsPort: identity.agents_port,
    publicHosts: settings.publicHosts,
    trustProxy: settings.trustProxy,
    startTimeoutSeconds: settings.startTimeoutSeconds,
    drainSeconds: settings.drainSeconds,
    postgresUser: settings.postgresUser,
    otlpEndpoint: settings.otlpEndpoint,
    otlpHeaders: settings.otlpHeaders,
    logLevel: settings.logLevel,
  });
}
