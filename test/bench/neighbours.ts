import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../lib/processes/free-port.ts';
import { gitRepositoryIn } from '../support/files/git-repository.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  api,
  create,
  deployed,
  discard,
  expectApi,
  type Installation,
  type Program,
  patch,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { endWithRun } from '../support/run/end-with-run.ts';
import { fromGitHub, pushPayload, SECRET } from '../support/world/git-host.ts';
import { printTable, quantile } from './table.ts';

const ASKED_PER_SECOND = 10;
const SECONDS = 15;
const MILLISECONDS = 1000;
/** Whoever has not answered by then has stopped; it counts as this. */
const ANSWER_MILLISECONDS = 60_000;

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => String(at).padStart(8, 'x')).join('\n');

/** An agent that prints what it is asked for. */
const printing = (server: string): string =>
  server.replace(
    "  if (pathname === '/ok')",
    `  if (pathname === '/spaces') console.log(' '.repeat(90_000));
  if (pathname === '/lines') for (let at = 0; at < 500; at += 1) console.log('line ' + at);
  if (pathname === '/ok')`,
  );

type Scene = { program: Program; quiet: ShownDeployment; beside: ShownDeployment; hostile: Hostile };
type Hostile = {
  installation: Installation;
  agent: ShownDeployment;
  pushing: { id: string; push(): Promise<void> };
  build(): Promise<void>;
  end(): Promise<void>;
};

/**
 * Two tenants, of which one is hostile: how long `GET /ok`, an agent of the other tenant, and an agent on the
 * listener of the hostile one take, alone and beside what was made to keep them busy.
 */
export async function neighbours(): Promise<void> {
  const scene = await aScene();
  const { hostile } = scene;
  const path = (suffix: string) => () => ask(`${hostile.agent.url ?? ''}${suffix}`);
  const besides: [string, () => Promise<unknown>][] = [
    ['alone', () => delay(MILLISECONDS)],
    ['a line of 90,000 spaces', path('/spaces')],
    ['500 lines, a secret of 7,167 lines', path('/lines')],
    ['a push, push_paths of many *', () => hostile.pushing.push()],
    ['a build that prints 16 KiB of ESC ]', () => hostile.build()],
  ];
  try {
    const rows: (string | number)[][] = [];
    for (const [what, again] of besides) rows.push(...(await measure(scene, what, again)));
    printTable(
      `Two tenants, one hostile: ${ASKED_PER_SECOND} requests a second to each for ${SECONDS} s, ms`,
      ['beside', 'asked', 'times', 'p50', 'p99', 'max'],
      rows,
    );
  } finally {
    await hostile.end();
    await discard(scene.program);
  }
}

async function measure(
  { program, quiet, beside }: Scene,
  what: string,
  again: () => Promise<unknown>,
): Promise<(string | number)[][]> {
  const asked = {
    'GET /ok': `${program.baseUrl}/ok`,
    'a quiet agent': `${quiet.url}/ok`,
    'one on its listener': `${beside.url}/ok`,
  };
  const end = performance.now() + SECONDS * MILLISECONDS;
  let times = 0;
  const hostile = (async () => {
    while (performance.now() < end) {
      await again();
      times += 1;
      await delay(MILLISECONDS / ASKED_PER_SECOND);
    }
  })();
  const taken = Object.keys(asked).map((): Promise<number>[] => []);
  // By the clock, not one after the other: a request that waits makes no later one come later.
  for (let due = performance.now(); due < end; due += MILLISECONDS / ASKED_PER_SECOND) {
    await delay(Math.max(0, due - performance.now()));
    for (const [at, url] of Object.values(asked).entries()) taken[at]?.push(ask(url));
  }
  await hostile;
  const rows = await Promise.all(taken.map((each) => Promise.all(each)));
  return Object.keys(asked).map((name, at) => {
    const values = rows[at] ?? [];
    return [what, name, String(times), quantile(values, 0.5), quantile(values, 0.99), Math.max(...values)];
  });
}

/** Milliseconds until the answer is whole, or until nobody would wait any more. */
export async function ask(url: string): Promise<number> {
  const begin = performance.now();
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    await response.arrayBuffer();
    return performance.now() - begin;
  } catch {
    return ANSWER_MILLISECONDS;
  }
}

async function aScene(): Promise<Scene> {
  const program = await startProgram({ environment: { SLIPWAY_MORE_TENANTS: 'true' } });
  const folder = await mkdtemp(join(tmpdir(), 'slipway-neighbours-'));
  const { url } = await repositoryIn(join(folder, 'hello'), await helloFiles());
  const quiet = await deployed(program, await create(program, 'quiet', url));
  const { installation, listener } = await aTenant(program, join(folder, 'listener'));
  const beside = await deployed(installation, await create(installation, 'beside', url));
  const files = await helloFiles();
  const escapes = "for (let at = 0; at < 300; at += 1) console.log('\\u001b]'.repeat(8_192));";
  const repository = await repositoryIn(join(folder, 'hostile'), {
    ...files,
    'server.js': printing(files['server.js']?.toString() ?? ''),
    'package.json': packageJson({ build: 'node build.js' }),
    'build.js': "if (process.env.ESCAPES !== 'no') console.log('built');",
  });
  const secrets = [{ name: 'KEYS', value: lines(7_167) }];
  const agent = await deployed(
    installation,
    await create(installation, 'hostile', repository.url, { secrets }),
  );
  const building = await repositoryIn(join(folder, 'building'), {
    ...files,
    'package.json': packageJson({ build: 'node build.js' }),
    'build.js': escapes,
  });
  const built = await create(installation, 'building', building.url);
  const end = async () => {
    const ended = new Promise((resolve) => listener.once('exit', resolve));
    listener.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return {
    program,
    quiet,
    beside,
    hostile: {
      installation,
      agent,
      pushing: await aPush(installation, join(folder, 'pushed')),
      build: async () => {
        await deployed(
          installation,
          await patch(installation, built.id, { source_revision_config: { repo_ref: 'main' } }),
        );
      },
      end,
    },
  };
}

/** Another tenant, with a key of its administrator and a listener of its own. */
async function aTenant(
  program: Program,
  dataFolder: string,
): Promise<{ installation: Installation; listener: ChildProcess }> {
  const { id: tenantId } = await expectApi<{ id: string }>(
    program,
    'POST',
    '/v2/tenants',
    { name: 'hostile' },
    201,
  );
  const wide = { name: 'bench', role: 'organization_admin', scope: 'organization' };
  const { key: ofAll } = await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', wide, 201);
  const response = await fetch(`${program.baseUrl}/v2/api-keys`, {
    method: 'POST',
    headers: { 'x-api-key': ofAll, 'x-tenant-id': tenantId, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'hostile', role: 'admin' }),
  });
  const { key: apiKey } = (await response.json()) as { key: string }; // it states the shape it reads
  const installation = { baseUrl: program.baseUrl, apiKey, tenantId };
  const wanted = { compute_type: 'process', compute_id: 'its-own', compute_config: {} };
  const { id } = await expectApi<{ id: string }>(installation, 'POST', '/v2/listeners', wanted, 201);
  const asked = { name: 'listener', role: 'listener', listener_id: id };
  const { key } = await expectApi<{ key: string }>(installation, 'POST', '/v2/api-keys', asked, 201);
  const listener = spawn(process.execPath, ['bin/listener.ts', '--agents-port', String(await freePort())], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SLIPWAY_URL: program.baseUrl,
      SLIPWAY_LISTENER_ID: id,
      SLIPWAY_API_KEY: key,
      SLIPWAY_LISTENER_DATA_DIR: dataFolder,
    },
  });
  endWithRun(listener);
  listener.stdout?.resume();
  return { installation, listener };
}

/** A deployment whose globs meet, at each push, a path that they nearly match. */
async function aPush(installation: Installation, folder: string): Promise<Hostile['pushing']> {
  const { commit } = await repositoryIn(folder, await helloFiles());
  const address = pathToFileURL(folder).href;
  const integration = { type: 'github', host: 'localhost:1', token: 'of-nothing', webhook_secret: SECRET };
  const { id: integration_id } = await expectApi<{ id: string }>(
    installation,
    'POST',
    '/v2/integrations',
    integration,
    201,
  );
  const source_config = { repo_url: address, build_on_push: true, integration_id };
  const { id } = await deployed(
    installation,
    await create(installation, 'pushed', address, { source_config }),
  );
  const push_paths = ['*a*a*a/*a*a*a/*a*a*a/b'];
  const taken = await api(installation, 'PATCH', `/v2/deployments/${id}`, { source_config: { push_paths } });
  if (taken.status !== 200) console.log(`push_paths are refused: ${taken.status}`);
  const long = 'a'.repeat(44);
  return {
    id,
    async push() {
      await commit({ [`${long}/${long}/${long}/c`]: randomUUID() });
      const body = JSON.stringify(pushPayload({ address }));
      await fetch(`${installation.baseUrl}/v1/integrations/github/${integration_id}/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fromGitHub(body, randomUUID()) },
        body,
        signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
      }).catch(() => undefined);
    },
  };
}

export async function repositoryIn(folder: string, files: Awaited<ReturnType<typeof helloFiles>>) {
  await mkdir(folder, { recursive: true });
  return gitRepositoryIn(folder, files);
}
