import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { dockerConfigFolder, type Machine } from './machine.ts';
import { say } from './report.ts';
import { ownEnvironment, run } from './run.ts';

const account = z.object({ username: z.string().min(1), password: z.string().min(1) });
/** What docker calls Docker Hub in its configuration. */
const HUB = 'https://index.docker.io/v1/';

/**
 * Gives docker's client the account at Docker Hub that the installation has, if it has one. The client alone
 * reads it: it gets a token for each image, and nothing that runs in a build sees more than the image. It is
 * read with the role of this machine, so before the build is shut in. An account that cannot be read fails no
 * build, for most need no image of Docker Hub.
 */
export async function logInToDockerHub(machine: Machine): Promise<void> {
  const { DOCKER_HUB_SECRET_ARN: secret } = process.env;
  if (secret === undefined || secret === '') return;
  const item = ['--secret-id', secret, '--query', 'SecretString', '--output', 'text'];
  const { code, output } = await run('aws', ['secretsmanager', 'get-secret-value', ...item], {
    env: ownEnvironment(),
    output: 'read',
  });
  const found = account.safeParse(code === 0 ? parsed(output) : undefined);
  if (!found.success) {
    const why = code === 0 ? 'has no "username" and "password" in JSON' : 'cannot be read';
    return say(
      `WARNING: The item of Secrets Manager that dockerHubSecret names ${why}; images of Docker Hub are pulled without an account`,
    );
  }
  const { username, password } = found.data;
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const folder = dockerConfigFolder(machine);
  await mkdir(folder, { mode: 0o700 });
  const config = JSON.stringify({ auths: { [HUB]: { auth } } });
  await writeFile(join(folder, 'config.json'), config, { mode: 0o600 });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
