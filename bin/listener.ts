import type { StartListener } from '../lib/listener/listener.ts';
import { main } from '../lib/listener/main.ts';
import { startProcessListener } from '../lib/listener/process-listener.ts';

const start: StartListener = async (options, log) => {
  if (options.driver === 'process') return startProcessListener(options, log);
  // The client of Kubernetes takes a while to load, and is for those who need it.
  const { startKubernetesListener } = await import('../lib/listener/drivers/kubernetes/start.ts');
  return startKubernetesListener(options, log);
};

process.exit(await main(process.argv.slice(2), process.env, start));
