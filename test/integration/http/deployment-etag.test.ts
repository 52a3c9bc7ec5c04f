import { expect, it } from 'vitest';
import { ask, creating, start } from '../../support/http/keyed-requests.ts';

it('a deployment is never told to be unchanged by the count of its configuration', async () => {
  const { world, apiKey } = await start();
  const made = await ask(world, creating(apiKey));
  const get = { operation: 'getDeployment', apiKey, params: { deployment_id: String(made.json.id) } };
  const { headers } = await ask(world, get);
  const etag = String(headers?.ETag ?? headers?.etag);
  expect(etag).toMatch(/^"\d+"$/);
  // What serves may be another revision by now.
  expect(await ask(world, { ...get, headers: { 'if-none-match': etag } })).toMatchObject({
    statusCode: 200,
    json: { id: made.json.id },
  });
});
