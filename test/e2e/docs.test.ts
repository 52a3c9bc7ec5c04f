import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { type Block, blocksOf, commandsOf, pages } from '../support/pages/blocks.ts';
import type { Program } from '../support/programs/program.ts';
import { removeDeployments, shellLineOf } from './banner-tests.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({ SLIPWAY_DRAIN_SECONDS: '0.2' });

const root = fileURLToPath(new URL('../../', import.meta.url));

type Printed = { stdout: string; stderr: string };

/** A clone's folder with the examples, beside which `program` runs. */
async function cloneOf({ dataFolder }: Program): Promise<{ clone: string; folder: string }> {
  const folder = await temporaryFolder();
  const clone = join(folder, 'clone');
  await mkdir(clone);
  await cp(join(root, 'examples'), join(clone, 'examples'), { recursive: true });
  await symlink(dataFolder, join(clone, '.slipway'));
  return { clone, folder };
}

/** What the service refuses is no success, although curl alone says so only where it is asked to. */
const CHECKED_CURL = `curl() {
  case " $* " in *" -f"*|*" --retry"*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac
}`;

/** A reader sees by the status when the first revision is deployed. */
const WHEN_DEPLOYED = 'until curl -fs http://localhost:4401/d/hello/ >/dev/null; do sleep 0.2; done';
const INSTALLED = `curl -fsSo /tmp/slipway.mjs "$SLIPWAY_URL/cli/slipway.mjs"
slipway() { node /tmp/slipway.mjs "$@"; }`;

/** What a reader has done, chosen or waited for before a block of a page, by the words that it begins with. */
const between: Record<string, readonly [before: string, script: string][]> = {
  'docs/api.md': [['curl -sS http://localhost:4401', WHEN_DEPLOYED]],
  'docs/cli.md': [['slipway deploy', INSTALLED]],
  'docs/deploying.md': [['curl', 'GIT_TOKEN=token-of-a-git-host']],
  'docs/oauth.md': [['curl', 'CLIENT_SECRET=secret-of-a-provider']],
  'docs/pushes.md': [['curl', 'GIT_TOKEN=token-of-a-git-host WEBHOOK_SECRET=secret-of-a-webhook']],
  'docs/operations.md': [
    [
      'curl -sS -X POST',
      `OLD_ID=$(curl -sS "$SLIPWAY_URL/v2/api-keys" -H "X-Api-Key: $SLIPWAY_API_KEY" -H 'Content-Type: application/json' \\
        -d '{"name": "old", "role": "viewer"}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
    ],
  ],
};

/** And at the end. */
const afterwards: Record<string, string> = {
  'README.md': 'curl -sS "$(slipway open hello)"\nslipway delete hello',
};

function scriptOf(page: string, blocks: readonly Block[], folder: string): string {
  const agentsUrl = /Agents +(\S+)\/<name>\//.exec(program().output())?.[1] ?? 'no address is printed';
  const waiting = new Map(between[page]);
  const parts = blocks.flatMap(({ text }) => {
    const [words, script] = [...waiting].find(([each]) => text.startsWith(each)) ?? [];
    if (words === undefined || script === undefined) return [text];
    waiting.delete(words);
    return [script, text];
  });
  expect([...waiting.keys()]).toEqual([]);
  return (
    [CHECKED_CURL, shellLineOf(program()), ...parts, afterwards[page] ?? '']
      .join('\n')
      .replaceAll('http://localhost:4401/d', agentsUrl)
      .replaceAll('/tmp/', `${folder}/`)
      // Nobody is there to be asked.
      .replaceAll(/^slipway (?:rollback|delete) .*$/gm, '$& -y')
      // What a person would ask once more, when a busy machine takes longer.
      .replaceAll('$(seq 60)', '$(seq 1000)')
      .replaceAll('--retry 20', '--retry 1000 --retry-delay 1')
  );
}

const hello = (version: string, greeting: string | null = 'bonjour tout le monde') =>
  JSON.stringify({ message: 'Hello from Slipway', greeting, version });

const greetingsIn = (text: string) => text.match(/\{"message":"Hello[^}]*\}/g);

const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, '0');

/** Each line that a page says is printed is printed, with numbers of its own. */
function expectShown(page: string, { stdout, stderr }: Printed): void {
  const printed = new Set(withoutNumbers(`${stdout}\n${stderr}`).split('\n'));
  const lines = blocksOf(page)
    .filter(({ language }) => language === '')
    .flatMap(({ text }) => text.trimEnd().split('\n'))
    .filter((line) => !line.endsWith('…') && !line.endsWith('[y/N]'));
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => !printed.has(withoutNumbers(line)))).toEqual([]);
}

/** What pages say comes out, beyond that nothing is refused. */
const outcomes: Record<string, (printed: Printed) => void> = {
  'README.md': (printed) => {
    const { stdout, stderr } = printed;
    const address = stdout.split('\n')[0] ?? '';
    expect(greetingsIn(stdout)).toEqual([hello('v1'), hello('v2')]);
    expect(stdout).toMatch(/hello is deleted\n$/);
    expect(stdout).toContain('hello-server v1 listens');
    expect(stdout.split('\n').filter((line) => line === address)).toHaveLength(4);
    expect(stderr).toContain('- values of secrets: version 4\n  + values of secrets: version 2\n');
    expectShown('README.md', printed);
  },
  'docs/api.md': ({ stdout }) => {
    expect(greetingsIn(stdout)).toEqual([hello('v1'), hello('v2'), hello('v1')]);
    expect(stdout).toMatch(/"message":"Cloning file:/);
  },
  'docs/cli.md': ({ stdout }) => {
    expect(stdout).toContain('hello-server v1 listens');
    expect(stdout).toMatch(/hello is deleted\n$/);
  },
  'docs/deploying.md': ({ stdout }) => {
    expect(greetingsIn(stdout)).toEqual([hello('v1', null)]);
  },
};

const runnable = pages
  .map((page) => ({ page, blocks: commandsOf(page) }))
  .filter(({ blocks }) => blocks.length > 0);

/** What a reader's shell prints, and what it fails with: nothing, if all goes well. */
async function paste(page: string, blocks: readonly Block[]): Promise<Printed & { failure: string }> {
  const { clone, folder } = await cloneOf(program());
  const { PATH } = process.env;
  const script = scriptOf(page, blocks, folder);
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', script],
      { cwd: clone, env: { PATH, HOME: folder } },
      (error, stdout, stderr) => {
        resolve({ stdout, stderr, failure: error === null ? '' : `${error.message}\n${stdout}` });
      },
    );
  });
}

it.each(runnable.map(({ page, blocks }) => [page, blocks.length, blocks] as const))(
  'the commands of %s do what it says: %i blocks in one shell',
  async (page, _, blocks) => {
    onTestFinished(() => removeDeployments(program(), ['hello', 'uploaded']));
    const { failure, ...printed } = await paste(page, blocks);
    expect(failure).toBe('');
    outcomes[page]?.(printed);
  },
);

it('each page with an expected outcome has commands', () => {
  const found = new Set(runnable.map(({ page }) => page));
  expect([...Object.keys(outcomes), ...Object.keys(between)].filter((page) => !found.has(page))).toEqual([]);
});
