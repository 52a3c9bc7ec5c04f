import { createHash, timingSafeEqual } from 'node:crypto';
import { demandByBuild, waitingNodes } from '../tables/demand.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';
import { type Call, type Handler, json } from './request.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Only for who has started the server. Without its token the path is as one that is not there. */
function requireToken({ internalToken }: Agent, { request }: Call): void {
  const sent = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (internalToken === undefined || !timingSafeEqual(digest(sent), digest(internalToken)))
    throw new HttpError(404, 'Not Found');
}

/** The builds that are wanted, and the nodes at which threads would go on. */
const demand: Handler = async (agent, call) => {
  requireToken(agent, call);
  const [builds, nodes] = await Promise.all([demandByBuild(agent.database), waitingNodes(agent.database)]);
  return json(JSON.stringify({ builds, nodes, running: agent.running() }));
};

/** Connections will be closed, by a proxy or at the end of the server: none of their clients has gone. */
const retire: Handler = async (agent, call) => {
  requireToken(agent, call);
  agent.retire();
  return { status: 204, body: '' };
};

export const internalRoutes: readonly (readonly [string, string, Handler])[] = [
  ['GET', '/internal/demand', demand],
  ['POST', '/internal/retiring', retire],
];
