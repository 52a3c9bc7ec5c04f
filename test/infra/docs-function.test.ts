import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getDocsFile, getOpenApi } from '../../lib/contract/routes/service.ts';
import { packageFiles } from '../../lib/contract/viewer.ts';
import type { Handler } from '../../lib/http/chain.ts';
import { bundleFunctions } from '../../lib/infra/bundles.ts';
import { apiEvent, type EventParts, lambdaContext } from '../support/event.ts';

/** Loads a bundle by Node itself, as Lambda does; an import would be the test runner's, which reads and changes all of its code first. */
const load = createRequire(import.meta.url);

let folder: string;
const handlers = new Map<string, Handler>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-docs-'));
  for (const [name, bundle] of await bundleFunctions([getDocsFile.handler, getOpenApi.handler], folder)) {
    const { handler } = load(join(bundle.folder, 'index.mjs')) as { handler: Handler };
    handlers.set(name, handler);
  }
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask(name: string, parts: EventParts): Promise<string> {
  const answer = await handlers.get(name)?.(apiEvent(parts), lambdaContext());
  expect(answer?.statusCode).toBe(200);
  return answer?.body ?? '';
}

it.each(packageFiles)('the function as it is deployed finds %s beside its code', async (file) => {
  const body = await ask(getDocsFile.handler, { path: `/docs/${file}`, params: { file } });
  expect(body).toContain('swagger-ui');
  expect(body.length).toBeGreaterThan(100_000);
});

it('the function as it is deployed finds the description beside its code', async () => {
  const body = await ask(getOpenApi.handler, { path: '/openapi.json' });
  expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.0', info: { title: 'Slipway' } });
});
