import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  api,
  create,
  deployed,
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

/** A build that does not end by itself. */
const waitingBuild = packageJson({ build: `node -e "setInterval(() => {}, 1000)" waiting-build` });

/**
 * How many of each kind of process run; a server's kind is its deployment. Builds, git and whatever else is
 * left over are `other`.
 */
async function running(program: Program): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { command, cwd } of await familyOf(program)) {
    const server = /\/listener\/deployments\/([^/]+)\//.exec(`${cwd}/`)?.[1];
    const own = /(bin\/local|bin\/listener|proxy\/main|warden-main)\.ts|dynoxide serve/.exec(command)?.[0];
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
    'proxy/main.ts': 1,
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

/** Needs a short drain, so that replaced servers are soon gone and what is left over can be told. */
export function interruptTests(program: () => Program): void {
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
      const left = followed?.status_history.find(({ status }) => status.startsWith('AWAITING_'));
      const leftQueueAt = Date.parse(left?.at ?? '');
      process.stdout.write(`interrupt_to_next_ms=${leftQueueAt - askedAt}\n`);
      expect(leftQueueAt).toBeGreaterThanOrEqual(askedAt);
      expect(Object.keys(await running(program())).filter(isWaiting)).toEqual([]);
      expect(await helloFrom(first)).toMatchObject({ version: 'v2' });
      expect((await api(program(), 'POST', interrupt)).status).toBe(200);
      await comesToRest(program());
    });
  });
}
