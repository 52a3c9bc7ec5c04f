// temporary
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';

export async function startCluster() {
  const folder = mkdtempSync('/tmp/kubedev-');
  const child = spawn('/tmp/h-kube-warm/kubedev', [folder], {
    stdio: ['pipe', 'pipe', openSync(`${folder}/log`, 'w')],
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const [, url = '', kubeconfig = ''] = line.split(' ');
  return {
    url,
    kubeconfig,
    folder,
    stop: async () => {
      child.stdin!.end();
      await once(child, 'exit');
    },
  };
}
