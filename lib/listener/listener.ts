import type { Log } from './log.ts';
import type { ListenerOptions } from './options.ts';
import { startProcessListener } from './process-listener.ts';

export type Listener = {
  /** Resolves, with the reason, when it cannot go on and is to be stopped. */
  ended: Promise<string>;
  /** Stops everything that was started here; resolves when none of it is alive. */
  stop: () => Promise<void>;
};

/** Composes the listener and starts it: reconciles with what should run here, then asks for work. */
export async function startListener(options: ListenerOptions, log: Log): Promise<Listener> {
  if (options.driver === 'process') return startProcessListener(options, log);
  // The client of Kubernetes takes a while to load, and is for those who need it.
  const { startKubernetesListener } = await import('./drivers/kubernetes/start.ts');
  return startKubernetesListener(options, log);
}
