import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FOLLOWERS_MAX } from '../../lib/core/followers.ts';
import { gitRepository } from '../support/files/git-repository.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { waitInModule } from '../support/programs/gate.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  askServer,
  create,
  deployed,
  deploymentOf,
  ended,
  expectApi,
  helloFrom,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

type Entry = { id: string; timestamp: number; level: string; message: string };

/** Reads events of a followed log until there are `count` of them, then leaves in the middle of it. */
async function follow(program: Program, path: string, count: number, lastEventId?: string): Promise<Entry[]> {
  const leaving = new AbortController();
  const response = await fetch(program.baseUrl + path, {
    headers: {
      'x-api-key': program.apiKey,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  });
  if (!response.ok) throw new Error(`following was answered by ${response.status} ${await response.text()}`);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const entries: Entry[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(event) ?? [];
      if (data === undefined) continue;
      const entry: Entry = JSON.parse(data);
      expect(entry.id).toBe(id);
      entries.push(entry);
      if (entries.length === count) break;
    }
    if (entries.length === count) break;
  }
  leaving.abort();
  return entries;
}

const statusesOf = (revision: { status_history: { status: string }[] }) =>
  revision.status_history.map((one) => one.status);
const REVISION = (one: ShownDeployment, id = one.latest_revision_id) =>
  `/v2/deployments/${one.id}/revisions/${id}`;

type LogPage = { logs: Entry[]; next_offset: string | null };

/** All entries of a log route that is asked by POST, page by page as clients follow. */
async function allLogs(program: Program, path: string, limit = 7): Promise<Entry[]> {
  const entries: Entry[] = [];
  let offset: string | null = null;
  for (;;) {
    const body = { order: 'asc', limit, ...(offset !== null && { offset }) };
    const page: LogPage = await expectApi<LogPage>(program, 'POST', path, body, 200);
    entries.push(...page.logs);
    offset = page.next_offset;
    if (page.logs.length === 0) return entries;
  }
}

/** Lines that a slow build writes, each as soon as it is written. */
const TICKS = 40;
const slowBuild = `for (let i = 0; i < ${TICKS}; i += 1) { console.log('tick ' + i); await new Promise((go) => setTimeout(go, 25)); }`;

/** What a program is for: a repository becomes a server that answers. Needs one that prints all it can. */
export function mainFlowTests(program: () => Program): void {
  describe('a repository made of the example', () => {
    it('is built and deployed, answers, and shows every step in its history and logs', async () => {
      const { url } = await gitRepository(await helloFiles());
      const startedAt = performance.now();
      const made = await create(program(), 'example', url);
      const revision = await ended(program(), made.id, made.latest_revision_id);
      process.stdout.write(`create_to_deployed_ms=${Math.round(performance.now() - startedAt)}\n`);
      expect(statusesOf(revision)).toEqual([
        'CREATING',
        'QUEUED',
        'AWAITING_BUILD',
        'BUILDING',
        'AWAITING_DEPLOY',
        'DEPLOYING',
        'DEPLOYED',
      ]);
      const deployment = await deploymentOf(program(), made.id);
      expect(deployment).toMatchObject({ status: 'READY', active_revision_id: made.latest_revision_id });
      const answer = await askServer(deployment);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { message: 'Hello from Slipway', greeting: null, version: 'v1' },
      ]);

      const build = await allLogs(
        program(),
        `/v1/projects/${made.id}/revisions/${made.latest_revision_id}/build_logs`,
      );
      expect(build.map((one) => one.message).join('\n')).toMatch(/^Cloning file:[^]*timing: clone_ms=\d+/);
      const deploy = await until(
        async () => {
          const entries = await allLogs(
            program(),
            `/v1/projects/${made.id}/revisions/${made.latest_revision_id}/deploy_logs`,
          );
          // The last line of the task may come after its end, as the server's own may.
          const isSaid = (words: string) => entries.some((one) => one.message.includes(words));
          return isSaid('hello-server v1 listens') && isSaid('timing: download_ms') && entries;
        },
        { what: "the server's own line, and the last one of the task" },
      );
      expect(await allLogs(program(), `/v1/projects/${made.id}/deploy_logs`)).toEqual(deploy);
      for (const [type, entries] of [
        ['build', build],
        ['deploy', deploy],
      ] as const) {
        const page = await expectApi<LogPage>(
          program(),
          'GET',
          `${REVISION(made)}/logs?type=${type}&limit=1000`,
          undefined,
          200,
        );
        expect(page.logs).toEqual(entries);
        expect(new Set(entries.map((one) => one.id)).size).toBe(entries.length);
      }
    });
  });

  it('follows a build while it runs; who reconnects with Last-Event-ID misses nothing and sees nothing twice', async () => {
    const gate = join(await temporaryFolder(), 'gate');
    const files = {
      'package.json': packageJson({ build: 'node build.mjs' }),
      'build.mjs': `${slowBuild}\n${waitInModule(gate)}`,
    };
    const { url } = await gitRepository(await helloFiles('v1', files));
    const made = await create(program(), 'followed', url);
    const path = `${REVISION(made)}/logs?type=build`;
    const seen: Entry[] = [];
    // Each connection leaves after some events, as a bad network does; the last line of a build is its
    // timing.
    while (!seen.some((one) => one.message.startsWith('Stored the artifact'))) {
      const [one] = await follow(program(), path, 1, seen.at(-1)?.id);
      if (one === undefined) throw new Error('the stream ended by itself');
      seen.push(one);
      if (one.message.startsWith('tick')) {
        seen.push(...(await follow(program(), path, 3, seen.at(-1)?.id)));
      }
      if (one.message === 'tick 0') {
        // The build ends only after this: what was read until now came while it ran.
        await revisionUntil(program(), made.id, made.latest_revision_id, (now) => now === 'BUILDING');
        await writeFile(gate, '');
      }
    }
    await deployed(program(), made);
    const all = await allLogs(
      program(),
      `/v1/projects/${made.id}/revisions/${made.latest_revision_id}/build_logs`,
      1000,
    );
    expect(seen).toEqual(all.slice(0, seen.length));
    expect(all.length - seen.length).toBeLessThanOrEqual(3);
    const ticks = all.flatMap((one) => /^tick (\d+)$/.exec(one.message)?.[1] ?? []).map(Number);
    expect(ticks).toEqual(Array.from({ length: TICKS }, (_, index) => index));
  });

  it('leaves the place of who stops following, however often somebody comes and goes', async () => {
    const { url } = await gitRepository(await helloFiles());
    const made = await create(program(), 'left', url);
    await deployed(program(), made);
    for (let visit = 0; visit <= 2 * FOLLOWERS_MAX; visit++)
      expect(await follow(program(), `${REVISION(made)}/logs?type=build`, 1)).toHaveLength(1);
  });

  describe('a broken commit', () => {
    it('fails with the reason while the old version serves; the first revision comes back without a build', async () => {
      const repository = await gitRepository(await helloFiles('v1'));
      const first = await deployed(program(), await create(program(), 'breaking', repository.url));
      const change = () => patch(program(), first.id, { source_revision_config: { repo_ref: 'main' } });
      const versionNow = async () => (await helloFrom(first)).version;
      const endOf = async (made: ShownDeployment) => ended(program(), made.id, made.latest_revision_id);
      await repository.commit(await helloFiles('v2'));
      const second = await deployed(program(), await change());
      expect(await versionNow()).toBe('v2');

      const script = `echo "error: there is no compiler" >&2; exit 1`;
      await repository.commit({ 'package.json': packageJson({ build: script }) });
      const unbuilt = await endOf(await change());
      expect(unbuilt.status).toBe('BUILD_FAILED');
      expect(unbuilt.status_message).toMatch(
        /^`npm run build` exited with code 1[^]*\nerror: there is no compiler/,
      );
      expect(statusesOf(unbuilt).at(-2)).toBe('BUILDING');
      expect(await versionNow()).toBe('v2');

      const dying = `console.error('fatal: no database'); process.exit(2);`;
      await repository.commit({ 'package.json': packageJson({}), 'server.js': dying });
      const undeployed = await endOf(await change());
      expect(undeployed.status).toBe('DEPLOY_FAILED');
      expect(undeployed.status_message).toMatch(/exited with code 2[^]*fatal: no database/);
      expect(await versionNow()).toBe('v2');
      expect(await deploymentOf(program(), first.id)).toMatchObject({
        status: 'READY',
        active_revision_id: second.latest_revision_id,
        latest_revision_id: undeployed.id,
      });

      const path = `${REVISION(first)}/redeploy`;
      const again = await expectApi<ShownDeployment>(program(), 'POST', path, undefined, 200);
      expect(statusesOf(await endOf(again))).toEqual([
        'CREATING',
        'QUEUED',
        'AWAITING_DEPLOY',
        'DEPLOYING',
        'DEPLOYED',
      ]);
      expect(await versionNow()).toBe('v1');
    });
  });
}
