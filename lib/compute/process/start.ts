import { join, resolve } from 'node:path';
import { ControlPlane } from '../../listener/control-plane.ts';
import { Http } from '../../listener/http.ts';
import type { StartedListener } from '../../listener/listener.ts';
import { lockListenerFolder } from '../../listener/lock.ts';
import type { Log } from '../../listener/log.ts';
import { LogShipper } from '../../listener/log-shipper.ts';
import type { ProcessListenerOptions } from '../../listener/options.ts';
import { LocalState } from '../../listener/state.ts';
import { composeWork } from '../../listener/work.ts';
import { ProcessSupervisor } from '../../processes/supervisor.ts';
import { MachinePostgres } from '../postgres/machine.ts';
import { ProcessDriver } from './driver.ts';
import type { ProcessDriverOptions } from './driver-options.ts';
import { OutputThread } from './output/output-thread.ts';
import type { ProxyOptions } from './proxy/proxy.ts';
import { ProxyProcess } from './proxy-process.ts';
import { tidyFolders } from './tidy-folders.ts';

/**
 * Servers have this long for their goodbye when the listener stops; the whole stop takes at most about 8 s.
 */
const STOP_GRACE_MILLISECONDS = 5000;

/** A listener that runs agent servers as processes of its own machine. */
export async function startProcessListener(
  options: ProcessListenerOptions,
  log: Log,
): Promise<StartedListener> {
  const dataFolder = resolve(options.dataFolder);
  const supervisor = new ProcessSupervisor();
  await lockListenerFolder(dataFolder, supervisor.id);
  const state = new LocalState(dataFolder);
  await tidyFolders(dataFolder, state);

  const base = `${options.url}/v2/listeners/${options.listenerId}`;
  const controlPlane = new ControlPlane(new Http(base, options.apiKey, log));
  const shipper = new LogShipper((body, sent) => controlPlane.logs(body, sent), log);
  const countsFile = join(dataFolder, 'counts.json');
  const work = composeWork({
    controlPlane,
    shipper,
    leases: state,
    log,
    access: { base, apiKey: options.apiKey },
    countsFile,
    otlp: options,
  });
  const proxy = new ProxyProcess({ options: proxyOptions(options), marking: supervisor.marking(), log });
  const port = await proxy.listen();
  const agentsUrl = `${options.agentsUrl ?? `http://localhost:${port}`}${options.pathPrefix}`;
  const output = new OutputThread({ shipper, log });
  const driver = new ProcessDriver({
    options: driverOptions(options, dataFolder, agentsUrl),
    supervisor,
    proxy,
    state,
    shipper,
    output,
    postgres: new MachinePostgres({
      processes: supervisor,
      dataFolder,
      log,
      userName: options.postgresUser,
    }),
    log,
    onChange: (deploymentId) => work.changed(deploymentId),
  });
  await proxy.open();
  await work.start(driver);
  log.info(`serving agents at ${agentsUrl}/<name>`);

  const stop = async () => {
    // What is counted until the last request has ended belongs to the last minute, which `end` closes.
    const closed = proxy.close(driver.announceEnd());
    work.end();
    await closed;
    await driver.close(STOP_GRACE_MILLISECONDS);
    await output.close();
    await work.finished();
    await supervisor.close();
  };
  return { ended: new Promise(() => {}), stop };
}

const driverOptions = (
  options: ProcessListenerOptions,
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

/** What the proxy's process is told, and no more: the key is not its business. */
const proxyOptions = ({
  agentsPort: port,
  pathPrefix,
  publicHosts,
  trustProxy,
  url,
}: ProcessListenerOptions): ProxyOptions => ({ port, pathPrefix, publicHosts, trustProxy, url });
