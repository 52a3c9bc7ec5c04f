import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { AUDIENCE, anIssuer } from '../../support/oauth/issuer.ts';
import { api, discard, startProgram } from '../../support/programs/program.ts';
import { until } from '../../support/until.ts';

const keyList = z.object({
  resources: z.array(z.object({ id: z.string(), name: z.string(), last_used_at: z.string().nullable() })),
});

it('people come with tokens of the configured issuer; keys are made, show their use, and are revoked', async () => {
  const issuer = await anIssuer();
  const program = await startProgram({
    environment: { SLIPWAY_OIDC_ISSUER: issuer.url, SLIPWAY_OIDC_AUDIENCE: AUDIENCE },
  });
  onTestFinished(() => discard(program));
  const { baseUrl, tenantId } = program;
  const ask = async (path: string, headers: Record<string, string>) =>
    (await fetch(baseUrl + path, { headers })).status;
  const alice = { authorization: `Bearer ${await issuer.token('auth0|alice')}`, 'x-tenant-id': tenantId };
  expect(await ask('/v2/deployments', alice)).toBe(403);
  const member = { user_id: 'auth0|alice', role: 'viewer' };
  expect(await api(program, 'POST', '/v2/members', member)).toMatchObject({ status: 201, body: member });
  expect(await ask('/v2/deployments', alice)).toBe(200);
  expect(await ask('/v2/api-keys', alice)).toBe(403);
  const expired = await issuer.token('auth0|alice', { exp: 1 });
  expect(await ask('/v2/deployments', { ...alice, authorization: `Bearer ${expired}` })).toBe(401);

  const made = await api(program, 'POST', '/v2/api-keys', { name: 'reader', role: 'viewer' });
  const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(made.body);
  expect(await ask('/v2/deployments', { 'x-api-key': key })).toBe(200);
  const listed = async () => keyList.parse((await api(program, 'GET', '/v2/api-keys')).body).resources;
  const hasUse = async () => (await listed()).find((one) => one.id === id)?.last_used_at !== null;
  await until(hasUse, { what: 'the use of the key' });
  expect((await listed()).map(({ name }) => name).toSorted()).toEqual([
    'first key',
    'local listener',
    'reader',
  ]);
  expect((await api(program, 'DELETE', `/v2/api-keys/${id}`)).status).toBe(204);
  expect(await ask('/v2/deployments', { 'x-api-key': key })).toBe(401);
  expect((await api(program, 'POST', '/v2/tenants', { name: 'second' })).status).toBe(409);
});
