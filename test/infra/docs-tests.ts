import { expect, it } from 'vitest';
import { packageFiles } from '../../lib/contract/browser/api-docs.ts';
import { getDocsFile, getOpenApi } from '../../lib/contract/routes/service.ts';
import type { Handler } from '../../lib/http/exchange.ts';
import { apiEvent, type EventParts, lambdaContext } from '../support/http/event.ts';

/** The functions that read files beside their code. */
export const docsFunctions: string[] = [getDocsFile.handler, getOpenApi.handler];

/**
 * That they find them, as they are deployed. Part of the file that bundles others: two more in one run of the
 * bundler take a third of a run for themselves. `load`: a bundle's module.
 */
export function docsTests(load: (name: string) => unknown): void {
  async function ask(name: string, parts: EventParts): Promise<string> {
    const { handler } = load(name) as { handler: Handler };
    const answer = await handler(apiEvent(parts), lambdaContext());
    expect(answer.statusCode).toBe(200);
    return answer.body ?? '';
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
}
