import { bringClientPackage } from '../lib/compute/kubernetes/client-package.ts';
import { startProcessListener } from '../lib/compute/process/start.ts';
import type { StartListener } from '../lib/listener/listener.ts';
import { main } from '../lib/listener/main.ts';

const start: StartListener = async (options, log) => {
  if (options.driver === 'process') return startProcessListener(options, log);
  // The client of Kubernetes takes a while to install and to load, and is for those who need it.
  await bringClientPackage();
  const { startKubernetesListener } = await import('../lib/compute/kubernetes/start.ts');
  return startKubernetesListener(options, log);
};

process.exit(await main(process.argv.slice(2), process.env, start));
