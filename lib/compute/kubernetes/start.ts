import { randomUUID } from 'node:crypto';
import { KubeConfig } from '@kubernetes/client-node';
import { messageOf, pause } from '../../listener/backoff.ts';
import { ControlPlane } from '../../listener/control-plane.ts';
import { Heartbeat } from '../../listener/heartbeat.ts';
import { Http } from '../../listener/http.ts';
import { MemoryLeases } from '../../listener/leases.ts';
import type { StartedListener } from '../../listener/listener.ts';
import type { Log } from '../../listener/log.ts';
import { LogShipper } from '../../listener/log-shipper.ts';
import type { KubernetesListenerOptions } from '../../listener/options.ts';
import { composeWork } from '../../listener/work.ts';
import { ApiServer } from './api-server.ts';
import { KubernetesDriver } from './driver.ts';
import { Leadership } from './leadership.ts';

function configOf(kubeconfig: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  return config;
}

/** Resolves, with the reason, when it cannot be started. */
const failureOf = (starting: Promise<unknown>): Promise<string> =>
  starting.then(
    () => new Promise<string>(() => {}),
    (error: unknown) => messageOf(error),
  );

/**
 * A listener that runs agent servers in a Kubernetes cluster. It keeps nothing itself. Of several, one leads
 * and works; the others wait.
 */
export async function startKubernetesListener(
  options: KubernetesListenerOptions,
  log: Log,
): Promise<StartedListener> {
  const config = configOf(options.kubeconfig);
  const holder = randomUUID();
  const { listenerId, namespaces } = options;
  const heartbeat = new Heartbeat(options.heartbeatFile, log);
  const leadership = new Leadership({
    api: new ApiServer(config),
    namespace: options.leaseNamespace,
    listenerId,
    holder,
    log,
    pause,
    now: () => performance.now(),
    answered: () => heartbeat.answered(),
  });
  const instanceId = leadership.lead();
  const running = instanceId.then(async (id) => {
    if (id === undefined) return undefined;
    const base = `${options.url}/v2/listeners/${listenerId}`;
    heartbeat.attempted();
    const http = new Http(base, options.apiKey, log, () => heartbeat.attempted());
    const controlPlane = new ControlPlane(http);
    const shipper = new LogShipper((body, sent) => controlPlane.logs(body, sent), log);
    const leases = new MemoryLeases(id);
    const { platform } = options;
    const work = composeWork({
      controlPlane,
      shipper,
      leases,
      log,
      mayClaim: () => leadership.leads(),
      access: { base, apiKey: options.apiKey },
      onRest: (milliseconds) => heartbeat.rests(milliseconds),
      otlp: options,
      ...(platform !== undefined && { platform }),
    });
    const driver = new KubernetesDriver({
      ...options,
      config,
      holder,
      since: leadership.ledBefore,
      shipper,
      controlPlane,
      log,
      onChange: (deploymentId) => work.changed(deploymentId),
    });
    await work.start(driver);
    log.info(`leading, in the namespaces ${namespaces.join(', ')}`);
    return { work, driver, shipper };
  });
  const stop = async () => {
    leadership.end();
    const parts = await running.catch(() => undefined);
    parts?.work.end();
    const readUntil = new Date();
    await parts?.driver.close();
    await parts?.work.finished();
    await leadership.release(parts?.shipper.isDone() ? readUntil : undefined);
  };
  return { ended: Promise.race([leadership.lost, failureOf(running)]), stop };
}
