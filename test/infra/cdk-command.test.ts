import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/files/temporary-folder.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../bin/cdk.sh', import.meta.url));

/** Calls the script beside a CDK that prints what it was told, and with what. */
async function told(...args: string[]): Promise<string> {
  const folder = await temporaryFolder();
  const [bin, tools] = [join(folder, 'bin'), join(folder, 'node_modules/.bin')];
  for (const each of [bin, tools]) await mkdir(each, { recursive: true });
  await copyFile(script, join(bin, 'cdk.sh'));
  const cdk = join(tools, 'cdk');
  const printed = '$AWS_PROFILE|$SLIPWAY_CDK_COMMAND|$SLIPWAY_CDK_EXCLUSIVELY|$*';
  await writeFile(cdk, `#!/bin/sh\necho "${printed}"\n`);
  await chmod(cdk, 0o755);
  const env = { PATH: process.env.PATH, AWS_PROFILE: 'own', SLIPWAY_CDK_COMMAND: 'stale' };
  const { stdout } = await run('sh', [join(bin, 'cdk.sh'), ...args], { env });
  return stdout.trim();
}

it.each([
  [['deploy', '--all', '--profile', 'other'], 'other|deploy||deploy --all --profile other'],
  [['--profile=other', 'diff', 'slipway-prod'], 'other|diff||--profile=other diff slipway-prod'],
  [
    ['deploy', '-e', 'slipway-prod', '-c', 'a=deploy b'],
    'own|deploy|yes|deploy -e slipway-prod -c a=deploy b',
  ],
  [['--version'], 'own|||--version'],
])('the app hears what the CDK is called with: %j', async (args, expected) => {
  expect(await told(...args)).toBe(expected);
});
