import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { expect } from 'vitest';
import { routes } from '../../../lib/contract/routes/index.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { apiHandler } from '../../../lib/embedded/runtime/handlers.ts';
import { github, list, register } from '../world/requests.ts';
import { aWorld, type World } from '../world/world.ts';
import { apiEvent, type EventParts, lambdaContext } from './event.ts';

/** A request with `key` as its Idempotency-Key. */
export type Asked = EventParts & { operation: string; key?: string; apiKey: string };
type Answer = APIGatewayProxyStructuredResultV2 & { json: Record<string, unknown> };

/** One request to the endpoint itself, chain and all. */
export async function ask({ deps }: World, asked: Asked): Promise<Answer> {
  const row = rowOf(asked.operation);
  const handler = await apiHandler(row, () => deps);
  const { key, apiKey, ...parts } = asked;
  const headers = {
    ...parts.headers,
    'x-api-key': apiKey,
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts.params?.[name] ?? '');
  const event = apiEvent({
    method: row.method,
    routeKey: `${row.method} ${row.path}`,
    path,
    ...parts,
    headers,
  });
  const answer = await handler(event, lambdaContext());
  return { ...answer, json: JSON.parse(answer.body ?? '{}') };
}

function rowOf(operation: string): RouteRow {
  const row = routes.find((each) => each.operation === operation);
  if (row === undefined) throw new Error(operation);
  return row;
}

/** A control plane with a listener, and the keys of two users of its tenant. */
export async function start() {
  const world = await aWorld();
  const listenerId = (await register(world, 'machine')).id;
  const keyOf = (userId: string) => {
    const { tenantId, organizationId } = world.caller;
    return issueApiKey(world.deps, {
      tenantId,
      organizationId,
      userId,
      role: 'organization_admin',
      name: 'a key',
    });
  };
  const [apiKey, other] = [await keyOf(world.caller.userId), await keyOf(world.deps.clock.randomId())];
  return { world, listenerId, apiKey, other };
}

/** A request that makes a deployment. */
export const creating = (apiKey: string, body: object = github('once'), key = 'k-1'): Asked => ({
  operation: 'createDeployment',
  body,
  key,
  apiKey,
});

/** As clients do, asks again while the answer is that others write at the same time: on a slow machine for long. */
async function askUntilTaken(world: World, asked: Asked): Promise<Answer> {
  for (;;) {
    const answer = await ask(world, asked);
    if (answer.statusCode !== 503) return answer;
    expect(answer.headers).toHaveProperty('retry-after');
  }
}

/**
 * Sends one request that makes a deployment so many times at once: the statuses that were answered, how many
 * bodies, and how many are made.
 */
export async function manyAtOnce(count: number) {
  const { world, apiKey } = await start();
  const asking = () => askUntilTaken(world, creating(apiKey));
  const answers = await Promise.all(Array.from({ length: count }, asking));
  return {
    statuses: [...new Set(answers.map(({ statusCode }) => statusCode))],
    bodies: new Set(answers.map(({ body }) => body)).size,
    deployments: (await list(world)).resources.length,
  };
}
