import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RevisionStatus } from '../../lib/contract/revision-status.ts';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { gitRepository } from '../support/files/git-repository.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  api,
  create,
  deployed,
  ended,
  expectApi,
  familyOf,
  helloFrom,
  lastWordsOf,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
  type ShownRevision,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const change = (program: Program, id: string) =>
  patch(program, id, { source_revision_config: { repo_ref: 'main' } });

/** Oldest first, as they are numbered. */
async function revisionsOf(program: Program, id: string): Promise<ShownRevision[]> {
  const path = `/v2/deployments/${id}/revisions?limit=100`;
  const page = await expectApi<{ resources: ShownRevision[] }>(program, 'GET', path, undefined, 200);
  return page.resources.toReversed();
}

/** Epoch milliseconds of the first entry of the history that the check takes. */
function timeOf(revision: ShownRevision, wanted: (status: RevisionStatus) => boolean): number {
  const entry = revision.status_history.find((one) => wanted(one.status));
  return Date.parse(entry?.at ?? '');
}

/** From leaving the queue to the end; undefined for one that ended in the queue. */
function workOf(revision: ShownRevision): { begin: number; end: number } | undefined {
  const begin = timeOf(revision, (status) => status.startsWith('AWAITING_'));
  return Number.isNaN(begin) ? undefined : { begin, end: timeOf(revision, isTerminal) };
}

/** The times at which one revision began before the one before it had ended: there are none. */
function overlaps(revisions: ShownRevision[]): string[] {
  const worked = revisions.flatMap((one) => workOf(one) ?? []);
  return worked.flatMap(({ begin }, index) => {
    const before = worked[index - 1];
    return before !== undefined && begin < before.end ? [`${begin} < ${before.end}`] : [];
  });
}

/** A build that waits for the file `go` beside the repository's work tree, which nobody ever writes. */
const waitingBuild = packageJson({ build: `node -e "setInterval(() => {}, 1000)" waiting-build` });

/**
 * How many of each kind of process run; a server's kind is its deployment. Builds, git and whatever else is
 * left over are `other`.
 */
async function running(program: Program): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { command, cwd } of await familyOf(program)) {
    const server = /\/listener\/deployments\/([^/]+)\//.exec(`${cwd}/`)?.[1];
    const own = /(bin\/local|bin\/listener|warden-main)\.ts|dynoxide serve/.exec(command)?.[0];
    const kind = own ?? (server === undefined ? `other: ${command}` : `server of ${server}`);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** The program at rest: itself and one server for each deployment that serves. */
async function atRest(program: Program): Promise<Record<string, number>> {
  const page = await expectApi<{ resources: ShownDeployment[] }>(
    program,
    'GET',
    '/v2/deployments?limit=100',
    undefined,
    200,
  );
  const serving = page.resources.filter((one) => one.active_revision_id !== null);
  return {
    'bin/local.ts': 1,
    'bin/listener.ts': 1,
    // One beside the runtime, one beside the listener.
    'warden-main.ts': 2,
    'dynoxide serve': 1,
    ...Object.fromEntries(serving.map((one) => [`server of ${one.id}`, 1])),
  };
}

/** Replaced servers drain and stop in a moment; then nothing else may run. */
async function comesToRest(program: Program): Promise<void> {
  const wanted = await atRest(program);
  let seen: Record<string, number> = {};
  await until(
    async () => {
      seen = await running(program);
      return isDeepStrictEqual(seen, wanted);
    },
    { what: 'the program to rest' },
  ).catch(() => process.stdout.write(lastWordsOf(program)));
  expect(seen).toEqual(wanted);
}

/** One of the revisions in flight, mostly the one that has left the queue; a new one when there is none. */
async function pickTarget(
  program: Program,
  id: string,
  random: () => number,
): Promise<{ id: string; status: string }> {
  const live = (await revisionsOf(program, id)).filter((one) => !isTerminal(one.status));
  const target = live[random() < 0.7 ? 0 : Math.floor(random() * live.length)];
  return target ?? { id: (await change(program, id)).latest_revision_id, status: 'QUEUED' };
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Needs a short drain, so that replaced servers are soon gone and what is left over can be told. */
export function queueTests(program: () => Program): void {
  describe('ten changes at once', () => {
    it('become ten revisions that are processed one after the other, in order of their numbers', async () => {
      const { url } = await gitRepository(await helloFiles());
      const first = await deployed(program(), await create(program(), 'ten', url));
      const startedAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 10 }, () => change(program(), first.id)));
      const asked = new Set(answers.map((one) => one.latest_revision_id));
      expect(asked.size).toBe(10);
      for (const id of asked) await ended(program(), first.id, id);
      process.stdout.write(`ten_revisions_ms=${Math.round(performance.now() - startedAt)}\n`);

      const revisions = await revisionsOf(program(), first.id);
      expect(revisions).toHaveLength(11);
      expect(revisions.map((one) => one.status)).toEqual(Array.from({ length: 11 }, () => 'DEPLOYED'));
      expect(new Set(revisions.slice(1).map((one) => one.id))).toEqual(asked);
      expect(overlaps(revisions)).toEqual([]);
      expect(revisions.flatMap((one) => workOf(one) ?? [])).toHaveLength(11);
      await comesToRest(program());
    });
  });

  describe('interrupting', () => {
    it('the running revision moves the queue on', async () => {
      const repository = await gitRepository(await helloFiles());
      const first = await deployed(program(), await create(program(), 'moving-on', repository.url));
      await repository.commit({ 'package.json': waitingBuild });
      const slow = await change(program(), first.id);
      const path = (id: string) => `/v2/deployments/${first.id}/revisions/${id}`;
      await revisionUntil(program(), first.id, slow.latest_revision_id, (status) => status === 'BUILDING');
      const isWaiting = (kind: string) => kind.includes('waiting-build');
      await until(async () => Object.keys(await running(program())).some(isWaiting), {
        what: 'the build command to run',
      });
      await repository.commit(await helloFiles('v2'));
      const next = await change(program(), first.id);
      const queued = await expectApi<ShownRevision>(
        program(),
        'GET',
        path(next.latest_revision_id),
        undefined,
        200,
      );
      expect(queued).toMatchObject({ status: 'QUEUED', queue_position: 1 });
      expect(queued.status_message).toContain('BUILDING');

      const interrupt = `${path(slow.latest_revision_id)}/interrupt`;
      const answer = await expectApi<ShownRevision & { interrupt_requested_at: string }>(
        program(),
        'POST',
        interrupt,
        undefined,
        200,
      );
      const askedAt = Date.parse(answer.interrupt_requested_at);
      await deployed(program(), next);
      const [, stopped, followed] = await revisionsOf(program(), first.id);
      expect(stopped?.status).toBe('INTERRUPTED');
      expect(stopped?.status_message).toMatch(/^Interrupted/);
      const leftQueueAt = followed === undefined ? Number.NaN : (workOf(followed)?.begin ?? Number.NaN);
      process.stdout.write(`interrupt_to_next_ms=${leftQueueAt - askedAt}\n`);
      expect(leftQueueAt).toBeGreaterThanOrEqual(askedAt);
      expect(Object.keys(await running(program())).filter(isWaiting)).toEqual([]);
      expect(await helloFrom(first)).toMatchObject({ version: 'v2' });
      expect((await api(program(), 'POST', interrupt)).status).toBe(200);
      await comesToRest(program());
    });

    it('ten revisions at random moments leaves nothing stuck and nothing running', async () => {
      const seed = Number(process.env.SLIPWAY_TEST_SEED ?? Date.now() % 100_000);
      process.stdout.write(`random_interrupts_seed=${seed}\n`);
      const random = randomFrom(seed);
      const { url } = await gitRepository(await helloFiles());
      const first = await deployed(program(), await create(program(), 'random', url));
      const endings = new Map<string, string>();
      const interrupts: Record<string, number> = {};
      await Promise.all(Array.from({ length: 10 }, () => change(program(), first.id)));
      for (let index = 0; index < 10; index += 1) {
        // The moment is what is tried here; a revision takes about a second from the queue to the end.
        await delay(random() * 700);
        const target = await pickTarget(program(), first.id, random);
        const path = `/v2/deployments/${first.id}/revisions/${target.id}`;
        const answer = await api(program(), 'POST', `${path}/interrupt`);
        // Too late when it has finished or its listener moves traffic: then it is deployed.
        expect([200, 409]).toContain(answer.status);
        const expected = answer.status === 200 ? 'INTERRUPTED' : 'DEPLOYED';
        endings.set(target.id, endings.get(target.id) ?? expected);
        const key = `${target.status}${answer.status === 200 ? '' : ' (too late)'}`;
        interrupts[key] = (interrupts[key] ?? 0) + 1;
      }
      const last = await change(program(), first.id);
      await deployed(program(), last);
      process.stdout.write(`random_interrupts=${JSON.stringify(interrupts)}\n`);

      const revisions = await revisionsOf(program(), first.id);
      const wrong = revisions.filter((one) => one.status !== (endings.get(one.id) ?? 'DEPLOYED'));
      expect(wrong).toEqual([]);
      expect(endings.size).toBeGreaterThan(5);
      expect(overlaps(revisions)).toEqual([]);
      await comesToRest(program());
    });
  });
}
