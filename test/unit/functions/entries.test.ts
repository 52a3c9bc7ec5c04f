import { readdir } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { variablesFor } from '../../../lib/contract/access.ts';
import { functionRows, managingRows } from '../../../lib/contract/functions.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import type { Handler } from '../../../lib/http/exchange.ts';
import { freshModules } from '../../support/aws/fresh-modules.ts';
import { apiEvent, lambdaContext } from '../../support/http/event.ts';

/** What the infrastructure sets for functions, and no address that anything could reach. */
const functionEnvironment = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  TABLE_NAME: 'table',
  STATE_MACHINE_ARN: 'arn:aws:states:eu-west-1:123456789012:stateMachine:revision',
  KEY_ID: 'key',
  BUCKET_NAME: 'bucket',
  JOBS_BUCKET_NAME: 'jobs',
  EVENT_BUS_NAME: 'bus',
  BUILD_PROJECT_NAME: 'project',
  BUILD_LOG_GROUP_NAME: 'builds',
  REGISTRY_HOST: 'registry.example',
  PUSH_ROLE_ARN: 'arn:aws:iam::123456789012:role/push',
  PULL_ROLE_ARN: 'arn:aws:iam::123456789012:role/pull',
} as const;

afterEach(() => vi.unstubAllEnvs());

it('every entry is the handler of a route or of a row of the functions, but the fallback', async () => {
  const files = (await readdir('functions', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const rows = [...routes, ...Object.values({ ...functionRows, ...managingRows })].map(
    ({ handler }) => handler,
  );
  const named = new Set(rows.map((handler) => handler.replace('functions/', '')));
  expect(files.filter((name) => !named.has(name))).toEqual(['api/fallback.ts']);
  expect([...named].filter((name) => !files.includes(name))).toEqual([]);
});

/** As a new function: it knows the variables that its row gives it, and nothing is made yet. */
async function anonymousAnswer(row: RouteRow) {
  const variables = new Set<string>([...variablesFor(row.access), ...(row.variables ?? [])]);
  for (const [name, value] of Object.entries(functionEnvironment))
    vi.stubEnv(name, variables.has(name) || name.startsWith('AWS_') ? value : '');
  const modules = freshModules({}, (file) => file === 'lib/container.ts');
  try {
    const { handler } = await modules.load<{ handler: Handler }>(row.handler);
    const { method, path } = row;
    const params = Object.fromEntries(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'none']),
    );
    return await handler(apiEvent({ method, path, params }), lambdaContext());
  } finally {
    modules.close();
  }
}

// Their files come with the bundle.
const rows = routes.filter(
  ({ handler }) => !/\/(?:openapi|console\/page|command-line\/file)\.ts$/.test(handler),
);

/** Parts are made before anybody is asked who they are: one that cannot be made is a 500. */
it.each(rows.map((row) => [row.operation, row] as const))(
  '%s makes all its parts from the variables that its row names',
  async (_, row) => {
    const { statusCode } = await anonymousAnswer(row);
    if (row.permission === 'public') expect(statusCode).toBeLessThan(500);
    else expect(statusCode).toBe(401);
  },
);
