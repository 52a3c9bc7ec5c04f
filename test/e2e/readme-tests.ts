import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import type { Program } from '../support/programs/program.ts';
import { removeDeployments } from './banner-tests.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** The shell blocks of a page between two headings. */
function blocksOf(page: string, from: string, to: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const section = text.slice(text.indexOf(`\n## ${from}\n`), text.indexOf(`\n## ${to}\n`));
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** A clone's folder with the examples, beside which `program` runs. */
async function cloneOf({ dataFolder }: Program): Promise<{ clone: string; folder: string }> {
  const folder = await temporaryFolder();
  const clone = join(folder, 'clone');
  await mkdir(clone);
  await cp(join(root, 'examples'), join(clone, 'examples'), { recursive: true });
  await symlink(dataFolder, join(clone, '.slipway'));
  return { clone, folder };
}

const hello = (version: string, greeting: string | null = 'bonjour tout le monde') =>
  JSON.stringify({ message: 'Hello from Slipway', greeting, version });

/** A reader sees by the status when the first revision is deployed. */
const whenDeployed = 'until curl -fs http://localhost:4401/d/hello/ >/dev/null; do sleep 0.2; done\n';

/** What docs/api.md and docs/deploying.md tell a reader to paste; it deploys `hello` and `uploaded`. */
export function readmeTests(program: () => Program): void {
  it('the curl of docs/api.md and the tarball of docs/deploying.md do what they say', async () => {
    onTestFinished(() => removeDeployments(program(), ['hello', 'uploaded']));
    const { baseUrl, output } = program();
    const agentsUrl = /Agents +(\S+)\/<name>\//.exec(output())?.[1] ?? 'no address is printed';
    const { clone, folder } = await cloneOf(program());
    const blocks = blocksOf('docs/api.md', 'With curl', 'Requests');
    const tarball = blocksOf('docs/deploying.md', 'Tarballs', 'Updates and rollbacks');
    expect([blocks.length, tarball.length]).toEqual([8, 1]);
    const script = [...blocks.slice(0, 4), whenDeployed, ...blocks.slice(4), ...tarball]
      .join('\n')
      .replaceAll('http://localhost:4400', baseUrl)
      .replaceAll('http://localhost:4401/d', agentsUrl)
      .replaceAll('/tmp/', `${folder}/`)
      // What a person would ask once more, when a busy machine takes longer.
      .replaceAll('$(seq 60)', '$(seq 1000)')
      .replaceAll('--retry 20', '--retry 1000 --retry-delay 1');
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: clone });
    expect(stdout.match(/\{"message":"Hello[^}]*\}/g)).toEqual([
      ...[hello('v1'), hello('v2'), hello('v1')],
      hello('v1', null),
    ]);
    expect(stdout).toMatch(/"message":"Cloning file:/);
  });
  it('the five minutes of the README do what they say, without a terminal', async () => {
    onTestFinished(() => removeDeployments(program(), ['hello']));
    const { clone, folder } = await cloneOf(program());
    const blocks = blocksOf('README.md', 'Five minutes', 'What you can deploy');
    const script = [...blocks, 'curl -sS "$(slipway open hello)"; slipway delete hello']
      .join('\n')
      .replaceAll('http://localhost:4400', program().baseUrl)
      .replaceAll('/tmp/', `${folder}/`)
      // Nobody is there to be asked.
      .replaceAll(/^(slipway (?:rollback|delete) .*)$|(slipway delete hello)/gm, '$1$2 -y');
    const { PATH } = process.env;
    const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: clone,
      env: { PATH, HOME: folder },
    });
    const address = stdout.split('\n')[0] ?? '';
    expect(stdout.match(/\{"message":"Hello[^}]*\}/g)).toEqual([hello('v1'), hello('v2')]);
    expect(stdout).toContain('hello-server v1 listens');
    expect(stdout.split('\n').filter((line) => line === address)).toHaveLength(4);
    expect(stderr).toContain('- values of secrets: version 4\n  + values of secrets: version 2\n');
    expect(stdout).toMatch(/hello is deleted\n$/);
  });
}
