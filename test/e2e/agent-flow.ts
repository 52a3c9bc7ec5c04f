import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import {
  agentFiles,
  installMilliseconds,
  logOf,
  newThread,
  saidOn,
  shouted,
  streamedWords,
} from '../support/programs/agents.ts';
import {
  create,
  deployed,
  deploymentOf,
  ended,
  expectApi,
  familyOf,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import type { SharedProgram } from './shared-program.ts';

/** An agent's first build fetches some 150 MB. */
const FIRST_BUILD_MS = 300_000;
const ASK_INTERVAL_MS = 100;
/** More at once would keep a slow machine from answering any. */
const OPEN_MAX = 3;

async function isDeployed(program: Program, made: ShownDeployment): Promise<ShownDeployment> {
  await ended(program, made.id, made.latest_revision_id, FIRST_BUILD_MS);
  return deployed(program, made);
}

/**
 * A client that asks ten times a second, where answers come soon enough, until it is stopped; each answer
 * with how long it took.
 */
function startClient(deployment: ShownDeployment) {
  const stopping = new AbortController();
  const failures: string[] = [];
  const answers: { text: string; tookMs: number }[] = [];
  const open = new Set<Promise<void>>();
  const ask = async () => {
    const sentAt = performance.now();
    const text = await shouted(deployment, 'a');
    answers.push({ text, tookMs: performance.now() - sentAt });
  };
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      if (open.size < OPEN_MAX) {
        const one = ask()
          .catch((error: unknown) => void failures.push(String(error)))
          .finally(() => open.delete(one));
        open.add(one);
      }
      await delay(ASK_INTERVAL_MS);
    }
    await Promise.all(open);
  })();
  const stop = async () => {
    stopping.abort();
    await asking;
    return { failures, answers };
  };
  return { stop, answers };
}

/** The processes of a program that hold a file watcher, of which Linux gives a user 128. */
async function watchersOf(program: Program): Promise<number[]> {
  const family = await familyOf(program);
  const isWatching = async (pid: number) => {
    const folder = `/proc/${pid}/fd`;
    const opened = await readdir(folder).catch(() => []);
    const targets = await Promise.all(opened.map((name) => readlink(join(folder, name)).catch(() => '')));
    return targets.includes('anon_inode:inotify');
  };
  const watching = await Promise.all(family.map(({ pid }) => isWatching(pid)));
  return family.filter((_, index) => watching[index]).map(({ pid }) => pid);
}

/**
 * The whole life of an agent, the same in both languages: it is built, answers, streams, is updated without a
 * failed request, keeps its threads, is rolled back, gets a secret, survives a broken version and a restart.
 * `brokenFile` makes its graph fail when it is imported.
 */
export async function expectAgentFlow(
  shared: SharedProgram,
  example: string,
  brokenFile: { path: string; text: string },
): Promise<void> {
  let { program } = shared;
  const repository = await gitRepository(await agentFiles(example));
  const made = await create(program, `${example}-flow`, repository.url);
  const first = await isDeployed(program, made);
  const firstInstall = await installMilliseconds(program, made);

  expect(await shouted(first, 'hello there')).toBe('v1: HELLO THERE!');
  await until(
    async () => {
      const words = await streamedWords(first, 'one two three four');
      expect(words.map(({ word }) => word)).toEqual(['ONE', 'TWO', 'THREE', 'FOUR']);
      // Words come 200 ms apart, and a busy machine may read several at once: then they are asked for
      // again. An answer that is held back comes at once each time.
      return (words.at(-1)?.at ?? 0) - (words[0]?.at ?? 0) > 300;
    },
    { what: 'words that come one after the other' },
  );

  const lines = await until(
    async () => {
      const all = await logOf(program, first, 'deploy');
      return all.some((line) => line.message.startsWith('Background run succeeded')) && all;
    },
    { what: 'the log of a run' },
  );
  expect(new Set(lines.map((line) => line.level))).toContain('INFO');
  expect(await watchersOf(program)).toEqual([]);

  const thread = await newThread(first);
  expect(await shouted(first, 'remember', thread)).toBe('v1: REMEMBER!');

  await repository.commit(await agentFiles(example, 'v2'));
  const client = startClient(first);
  const changed = await patch(program, first.id, { source_revision_config: { repo_ref: 'main' } });
  // Written while the new revision is built and started: what is lost at a switch is what came late.
  const late: string[] = [];
  const stillOld = async () => {
    const { status } = await expectApi<{ status: string }>(
      program,
      'GET',
      `/v2/deployments/${changed.id}/revisions/${changed.latest_revision_id}`,
      undefined,
      200,
    );
    return status !== 'DEPLOYED' && !status.endsWith('FAILED');
  };
  while (await stillOld()) {
    const one = await newThread(first);
    expect(await shouted(first, 'late', one)).toMatch(/^v[12]: LATE!$/);
    late.push(one);
  }
  const second = await isDeployed(program, changed);
  const { failures, answers } = await client.stop();
  const secondInstall = await installMilliseconds(program, changed);
  const longest = Math.round(Math.max(...answers.map(({ tookMs }) => tookMs)));
  process.stdout.write(
    `${example}: requests=${answers.length} failures=${failures.length} longest_ms=${longest} late_threads=${late.length} install_ms=${firstInstall} then ${secondInstall}\n`,
  );
  expect(failures).toEqual([]);
  expect(await shouted(second, 'new')).toBe('v2: NEW!');
  expect(await saidOn(second, thread)).toEqual(['remember', 'v1: REMEMBER!']);
  const kept = await Promise.all(late.map((one) => saidOn(second, one)));
  expect(kept.map((said) => said[0])).toEqual(late.map(() => 'late'));
  expect(answers.filter(({ text }) => !/^v[12]: A!$/.test(text))).toEqual([]);
  expect(late.length).toBeGreaterThan(0);
  expect((await logOf(program, second, 'build')).map((line) => line.message).join('\n')).toContain(
    'Cache hit',
  );

  const path = `/v2/deployments/${first.id}/revisions/${first.latest_revision_id}/redeploy`;
  const again = await expectApi<ShownDeployment>(program, 'POST', path, undefined, 200);
  const back = await isDeployed(program, again);
  const { status_history: history } = await ended(program, back.id, again.latest_revision_id);
  expect(history.map((one) => one.status)).not.toContain('BUILDING');
  expect(await shouted(back, 'again', thread)).toBe('v1: AGAIN!');
  expect(await saidOn(back, thread)).toEqual(['remember', 'v1: REMEMBER!', 'again', 'v1: AGAIN!']);

  const secret = 'SECRET-ENDING';
  const secrets = [{ name: 'SHOUT_ENDING', value: secret }];
  const sealed = await isDeployed(program, await patch(program, back.id, { secrets }));
  expect(await shouted(sealed, 'secret')).toBe(`v1: SECRET${secret}`);

  await repository.commit({ [brokenFile.path]: brokenFile.text });
  const broken = await patch(program, back.id, { source_revision_config: { repo_ref: 'main' } });
  const undeployed = await ended(program, broken.id, broken.latest_revision_id, FIRST_BUILD_MS);
  expect(undeployed.status).toBe('DEPLOY_FAILED');
  expect(undeployed.status_message).toContain('nothing_of_that_name');
  expect(await shouted(sealed, 'still')).toBe(`v1: STILL${secret}`);

  program = await shared.restart();
  const restarted = await until(
    async () => {
      const one = await deploymentOf(program, back.id);
      return (await shouted(one, 'up').catch(() => undefined)) !== undefined && one;
    },
    { what: 'the agent after a restart' },
  );
  expect(await saidOn(restarted, thread)).toEqual(['remember', 'v1: REMEMBER!', 'again', 'v1: AGAIN!']);
}
