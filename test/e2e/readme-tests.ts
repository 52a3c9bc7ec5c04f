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

/** A reader sees by the status when the first revision is deployed. */
const whenDeployed = 'until curl -fs http://localhost:4401/d/hello/ >/dev/null; do sleep 0.2; done\n';

/** What the README and docs/deploying.md tell a reader to paste; it deploys `hello` and `uploaded`. */
export function readmeTests(program: () => Program): void {
  it('the five minutes of the README and the tarball of docs/deploying.md do what they say', async () => {
    onTestFinished(() => removeDeployments(program(), ['hello', 'uploaded']));
    const { baseUrl, dataFolder, output } = program();
    const agentsUrl = /Agents +(\S+)\/<name>\//.exec(output())?.[1] ?? 'no address is printed';
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'clone'));
    await cp(join(root, 'examples'), join(folder, 'clone/examples'), { recursive: true });
    await symlink(dataFolder, join(folder, 'clone/.slipway'));
    const blocks = blocksOf('README.md', 'Five minutes', 'What you can deploy');
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
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: join(folder, 'clone') });
    const hello = (version: string, greeting: string | null = 'bonjour tout le monde') =>
      JSON.stringify({ message: 'Hello from Slipway', greeting, version });
    expect(stdout.match(/\{"message":"Hello[^}]*\}/g)).toEqual([
      ...[hello('v1'), hello('v2'), hello('v1')],
      hello('v1', null),
    ]);
    expect(stdout).toMatch(/"message":"Cloning file:/);
  });
}
