import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const clone = fileURLToPath(new URL('../../../', import.meta.url));
const CLIENT = '@kubernetes/client-node';

/**
 * Has the client of Kubernetes installed where it is not yet: it is as big as a third of all else, and for
 * this driver alone. An image has it already, and no setup. Throws when it is not there in the end.
 */
export async function bringClientPackage(folder = clone): Promise<void> {
  const isThere = () => existsSync(join(folder, 'node_modules', CLIENT, 'package.json'));
  // Setup keeps this file while packages may be half installed.
  if (isThere() && !existsSync(join(folder, 'node_modules/.slipway/before.json'))) return;
  if (!existsSync(join(folder, 'bin/setup.sh')))
    throw new Error(
      `The Kubernetes driver needs the package ${CLIENT}. Build the image with Slipway's Dockerfile.`,
    );
  const setup = spawn('sh', ['bin/setup.sh', 'kubernetes'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((resolve, reject) => {
    setup.once('error', reject).once('exit', resolve);
  });
  if (code === 0 && isThere()) return;
  throw new Error(
    `The package ${CLIENT} could not be installed; the lines above say why. Start the listener where npm reaches ` +
      'its registry, or run the listener from its image, which has the package.',
  );
}
