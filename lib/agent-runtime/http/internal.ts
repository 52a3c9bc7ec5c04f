import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { missingOf } from '../queue/rules.ts';
import { demandByBuild, demandByRevision } from '../tables/demand.ts';
import {
  abandonBuild,
  expireThreads,
  releaseThreads,
  type Standing,
  standingElsewhere,
} from '../tables/release.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';
import { bodyOf, type Call, type Handler, json } from './request.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Only for who has started the server. Without its token the path is as one that is not there. */
function requireToken({ internalToken }: Agent, { request }: Call): void {
  const sent = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (internalToken === undefined || !timingSafeEqual(digest(sent), digest(internalToken)))
    throw new HttpError(404, 'Not Found');
}

/** The builds that are wanted, and what of each revision waits or runs. */
const demand: Handler = async (agent, call) => {
  requireToken(agent, call);
  const { database } = agent;
  const [builds, revisions] = await Promise.all([demandByBuild(database), demandByRevision(database)]);
  return json(JSON.stringify({ builds, revisions, running: agent.running() }));
};

/** What has become of this server's runs since it began, and how many of its build wait for a worker. */
const totals: Handler = async (agent, call) => {
  requireToken(agent, call);
  const builds = await demandByBuild(agent.database);
  const own = builds.find(({ build_id: id }) => id === agent.server.buildId);
  return json(JSON.stringify({ ...agent.totals.told, waiting: own?.pending ?? 0 }));
};

/** Threads that stand at a node which this server's graphs have not; no node: it has no such graph. */
type Lost = { graph_id: string; node: string | null; threads: number };

function lostOf({ worker }: Agent, standing: readonly Standing[]): { lost: Lost[]; unknown: string[] } {
  const { graphs } = worker.hello;
  const lost = new Map<string, Lost>();
  const unknown = new Set<string>();
  for (const { graph_id: id, next, threads } of standing) {
    const graphId = id ?? '';
    const nodes = graphs[graphId]?.nodes;
    // A factory has other nodes by another config.
    if (nodes === null || graphs[graphId]?.varies === true) unknown.add(graphId);
    for (const node of nodes === undefined ? [null] : missingOf(next, nodes ?? next)) {
      const key = JSON.stringify([graphId, node]);
      lost.set(key, { graph_id: graphId, node, threads: (lost.get(key)?.threads ?? 0) + threads });
    }
  }
  return { lost: [...lost.values()], unknown: [...unknown] };
}

/** What would be lost if this server's build got all threads that wait in others. */
const lostByRelease: Handler = async (agent, call) => {
  requireToken(agent, call);
  return json(JSON.stringify(lostOf(agent, await standingElsewhere(agent.database, agent.server.buildId))));
};

const ids = z.array(z.string()).max(10_000).optional();
const releaseBody = z.object({ builds: ids, revisions: ids });

/** Threads that wait in other builds go on with this server's. */
const release: Handler = async (agent, call) => {
  requireToken(agent, call);
  const { builds, revisions } = bodyOf(call, releaseBody).fields;
  const of = { ...(builds && { builds }), ...(revisions && { revisions }) };
  return json(JSON.stringify({ threads: await releaseThreads(agent.database, agent.server, of) }));
};

/** `runs`: those end too, for nobody can start the build any more. */
const expireBody = z.object({ build_id: z.string(), reason: z.string().max(1000), runs: z.boolean() });

/** A build is not kept any longer for the threads that wait in it. */
const expire: Handler = async (agent, call) => {
  requireToken(agent, call);
  const { build_id: buildId, reason, runs } = bodyOf(call, expireBody).fields;
  if (buildId === agent.server.buildId) throw new HttpError(409, `Build ${buildId} serves.`);
  const end = runs ? abandonBuild : expireThreads;
  return json(JSON.stringify({ expired: await end(agent.database, buildId, reason) }));
};

/** Connections will be closed, by a proxy or at the end of the server: none of their clients has gone. */
const retire: Handler = async (agent, call) => {
  requireToken(agent, call);
  agent.retire();
  return { status: 204, body: '' };
};

export const internalRoutes: readonly (readonly [string, string, Handler])[] = [
  ['GET', '/internal/demand', demand],
  ['GET', '/internal/runs', totals],
  ['GET', '/internal/release', lostByRelease],
  ['POST', '/internal/release', release],
  ['POST', '/internal/expire', expire],
  ['POST', '/internal/retiring', retire],
];
