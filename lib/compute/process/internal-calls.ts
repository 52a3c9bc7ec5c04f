import * as z from 'zod';
import type { Server } from './server.ts';

/** It is on this machine, and may have much to do. */
const ANSWER_MILLISECONDS = 10_000;
/** At its end nobody waits for one that does not answer: the listener itself has some 8 s. */
const FAREWELL_MILLISECONDS = 1000;

/** A minute that is over is told soon. */
const RUNS_MILLISECONDS = 1_000;

const count = z.coerce.number();
const demandAnswer = z.object({
  builds: z.array(
    z.object({ build_id: z.string(), pending: count, running: count, scheduled: count, calls: count }),
  ),
  revisions: z.array(
    z.object({
      build_id: z.string(),
      revision_id: z.string(),
      runs: count,
      waiting: count,
      oldest_at: z.string().nullable(),
    }),
  ),
});
/**
 * What is wanted of each build, and what of each revision waits or runs. A build that has nothing to do is
 * listed too while threads wait in it.
 */
export type Demands = z.infer<typeof demandAnswer>;
export type Demand = Demands['builds'][number];

const lossAnswer = z.object({
  lost: z.array(z.object({ graph_id: z.string(), node: z.string().nullable(), threads: count })),
  unknown: z.array(z.string()),
});
const releaseAnswer = z.object({ threads: count });
const expireAnswer = z.object({
  expired: z.array(z.object({ revision_id: z.string(), threads: count })),
});

const runsAnswer = z.object({
  begun: count,
  succeeded: count,
  failed: count,
  waiting: count,
  durations: z.object({ counts: z.array(count), sum_ms: count }),
});
/**
 * Runs of a durable server since its process began: how many it has begun, and how many of those have ended
 * how, with their durations. `waiting`: how many of its build wait for a worker now.
 */
export type RunTotals = z.infer<typeof runsAnswer>;

type Asked = Pick<Server, 'target' | 'internalToken'>;

function ask(
  { target: { where }, internalToken = '' }: Asked,
  method: string,
  path: string,
  { body, within = ANSWER_MILLISECONDS }: { body?: object; within?: number } = {},
): Promise<Response> {
  const host = where.host === '::1' ? '[::1]' : where.host;
  return fetch(`http://${host}:${where.port}/internal/${path}`, {
    method,
    headers: { authorization: `Bearer ${internalToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(within),
  });
}

/** What a durable server says of all builds of its deployment. */
export async function demandAt(server: Asked): Promise<Demands> {
  const response = await ask(server, 'GET', 'demand');
  return demandAnswer.parse(await response.json());
}

/** What has become of a durable server's runs. It is asked once a minute, and nothing waits for the answer. */
export async function runsAt(server: Asked): Promise<RunTotals> {
  const response = await ask(server, 'GET', 'runs', { within: RUNS_MILLISECONDS });
  return runsAnswer.parse(await response.json());
}

/** What the graphs of a durable server would lose if it got all threads that wait in other builds. */
export async function lossAt(server: Asked): Promise<z.infer<typeof lossAnswer>> {
  const response = await ask(server, 'GET', 'release');
  return lossAnswer.parse(await response.json());
}

/** Gives threads that wait in other builds to a durable server's; all, or those of some revisions. Says how many. */
export async function releaseAt(server: Asked, of: { revisions?: readonly string[] }): Promise<number> {
  const response = await ask(server, 'POST', 'release', { body: of });
  return releaseAnswer.parse(await response.json()).threads;
}

/**
 * Ends the wait of threads in a build, with its `runs` if nobody can start it any more. `reason` says why of
 * a revision, in a clause. Says how many threads of each revision that were.
 */
export async function expireAt(
  server: Asked,
  { buildId, reason, runs }: { buildId: string; reason: string; runs: boolean },
): Promise<z.infer<typeof expireAnswer>['expired']> {
  const response = await ask(server, 'POST', 'expire', { body: { build_id: buildId, reason, runs } });
  return expireAnswer.parse(await response.json()).expired;
}

/** Tells a durable server that its connections will be closed: that is no client who has gone. */
export async function announceEnd(server: Asked): Promise<void> {
  const response = await ask(server, 'POST', 'retiring', { within: FAREWELL_MILLISECONDS }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
}
