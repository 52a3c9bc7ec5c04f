import { resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { ProcessSupervisor } from '../processes/supervisor.ts';
import { pause } from './backoff.ts';
import { ClaimLoop } from './claim-loop.ts';
import { ControlPlane } from './control-plane.ts';
import { ProcessDriver, type ProcessDriverOptions } from './drivers/process/driver.ts';
import { Proxy } from './drivers/process/proxy/proxy.ts';
import { tidyFolders } from './drivers/process/tidy-folders.ts';
import { Http } from './http.ts';
import { lockDataFolder } from './lock.ts';
import type { Log } from './log.ts';
import { LogShipper } from './log-shipper.ts';
import type { ListenerOptions } from './options.ts';
import { Reconciler } from './reconciler.ts';
import { LocalState } from './state.ts';
import { StatusReporter } from './status-reporter.ts';
import { TaskRunner } from './task-runner.ts';

/**
 * Servers have this long for their goodbye when the listener stops; the whole stop takes at most about 8 s.
 */
const STOP_GRACE_MILLISECONDS = 5000;
const LAST_LOGS_MILLISECONDS = 2000;

export type Listener = {
  /** Where deployments are served: `<this>/<name>`. */
  agentsUrl: string;
  /** Stops everything that was started; resolves when none of it is alive. */
  stop: () => Promise<void>;
};

/** Composes the listener and starts it: reconciles with what should run here, then asks for work. */
export async function startListener(options: ListenerOptions, log: Log): Promise<Listener> {
  const stopping = new AbortController();
  const dataFolder = resolve(options.dataFolder);
  const supervisor = new ProcessSupervisor();
  await lockDataFolder(dataFolder, supervisor.id);
  const state = new LocalState(dataFolder);
  await tidyFolders(dataFolder, state);

  const base = `${options.url}/v2/listeners/${options.listenerId}`;
  const controlPlane = new ControlPlane(new Http(base, options.apiKey, log));
  const shipper = new LogShipper((body, sent) => controlPlane.logs(body, sent), log);
  const proxy = new Proxy({ ...options, port: options.agentsPort });
  const port = await proxy.listen();
  const agentsUrl = `${options.agentsUrl ?? `http://localhost:${port}`}${options.pathPrefix}`;
  const driver: ProcessDriver = new ProcessDriver({
    options: driverOptions(options, dataFolder, agentsUrl),
    supervisor,
    proxy,
    state,
    shipper,
    log,
    onChange: (deploymentId) => reporter.changed(deploymentId),
  });
  const reporter = new StatusReporter(controlPlane, () => driver.reports(), log);
  const reconciler: Reconciler = new Reconciler({
    controlPlane,
    driver,
    log,
    isBusy: (deploymentId) => tasks.holds(deploymentId),
  });
  const common = { controlPlane, log, pause };
  const tasks: TaskRunner = new TaskRunner({
    ...common,
    driver,
    shipper,
    leases: state,
    stopping: stopping.signal,
    claimAgain: () => claims.again(),
    onEnded: (deploymentId) => (reconciler.request(deploymentId), claims.wake()),
  });
  const claims: ClaimLoop = new ClaimLoop({
    ...common,
    instanceId: state.instanceId,
    tasksAtOnce: driver.tasksAtOnce,
    version: manifest.version,
    holding: () => tasks.held(),
    onAnswer: (answer) => {
      for (const task of answer.tasks) tasks.accept(task);
      for (const taskId of answer.cancelled) tasks.cancel(taskId);
    },
  });

  await driver.start();
  const loops = runLoops(reconciler, [reporter, claims], stopping.signal);
  log.info(`serving agents at ${agentsUrl}/<name>`);

  const stop = async () => {
    stopping.abort();
    proxy.close();
    await driver.close(STOP_GRACE_MILLISECONDS);
    // A wait that ignores its signal must not keep what is already stopped from ending.
    await Promise.race([Promise.all([tasks.finished(), loops]), pause(LAST_LOGS_MILLISECONDS)]);
    await shipper.close(LAST_LOGS_MILLISECONDS);
    await supervisor.close();
  };
  return { agentsUrl, stop };
}

const driverOptions = (
  options: ListenerOptions,
  dataFolder: string,
  agentsUrl: string,
): ProcessDriverOptions => ({
  dataFolder,
  agentsUrl,
  baseUrl: options.url,
  apiKey: options.apiKey,
  startTimeoutMilliseconds: options.startTimeoutSeconds * 1000,
  drainMilliseconds: options.drainSeconds * 1000,
});

type Loop = { run: (signal: AbortSignal) => Promise<unknown> };

/** What should run here is known before the first work is asked for. */
async function runLoops(reconciler: Reconciler, others: Loop[], signal: AbortSignal): Promise<void> {
  reconciler.request();
  await reconciler.once(signal);
  await Promise.all([reconciler, ...others].map((loop) => loop.run(signal)));
}
