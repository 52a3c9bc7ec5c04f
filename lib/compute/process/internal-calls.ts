import * as z from 'zod';
import type { Server } from './server.ts';

/** It is on this machine, and may have much to do. */
const ANSWER_MILLISECONDS = 10_000;

const count = z.coerce.number();
const demandAnswer = z.object({
  builds: z.array(z.object({ build_id: z.string(), pending: count, running: count, calls: count })),
});
/** What is wanted of a build. One that has nothing to do is listed too while threads wait in it. */
export type Demand = z.infer<typeof demandAnswer>['builds'][number];

type Asked = Pick<Server, 'target' | 'internalToken'>;

function ask(
  { target: { where }, internalToken = '' }: Asked,
  method: string,
  path: string,
): Promise<Response> {
  const host = where.host === '::1' ? '[::1]' : where.host;
  return fetch(`http://${host}:${where.port}/internal/${path}`, {
    method,
    headers: { authorization: `Bearer ${internalToken}` },
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
  });
}

/** What a durable server says of all builds of its deployment. */
export async function demandAt(server: Asked): Promise<Demand[]> {
  const response = await ask(server, 'GET', 'demand');
  return demandAnswer.parse(await response.json()).builds;
}

/** Tells a durable server that its connections will be closed: that is no client who has gone. */
export async function announceEnd(server: Asked): Promise<void> {
  const response = await ask(server, 'POST', 'retiring').catch(() => undefined);
  await response?.body?.cancel();
}
