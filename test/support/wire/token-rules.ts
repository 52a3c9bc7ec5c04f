import { expect } from 'vitest';
import { systemClock } from '../../../lib/adapters/clock.ts';
import { hashOf } from '../../../lib/core/identity/api-key.ts';
import { TOKEN_RULES_MAX } from '../../../lib/features/token-rules/create.ts';
import { EXCHANGES_MAX } from '../../../lib/features/token-rules/exchange.ts';
import { present, update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { exchangesOf, GRANT, githubJob, JWT } from '../oauth/ci.ts';
import { anIssuer } from '../oauth/issuer.ts';
import type { WireRecord } from './wire.ts';
import { NOBODY, open } from './wired-world.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Rules for jobs of CI, and what is exchanged by them, as JSON and as a form. */
export async function expectExchanges(record: WireRecord): Promise<void> {
  const issuer = await anIssuer();
  const tokenIssuers = exchangesOf([issuer.url], { clock: systemClock });
  const { ask, wire, refused, tenantId, world } = await open(record, { tokenIssuers });
  const rule = { name: 'r', issuer: issuer.url, repository_id: githubJob.repository_id, role: 'developer' };
  const { id: rule_id } = await ask('createTokenRule', { body: rule });
  await ask('listTokenRules');
  await ask('getTokenRule', { params: { rule_id } });
  await refused('token_rule_not_found', { id: NOBODY }, 'getTokenRule', { params: { rule_id: NOBODY } });

  // What a loopback gateway takes for its own.
  const address = `http://localhost:${new URL(wire.url).port}`;
  const token = (claims = {}) =>
    issuer.token('a job', { aud: address, jti: crypto.randomUUID(), ...githubJob, ...claims });
  const of = (subject_token: string, more: object = {}) => ({
    body: { grant_type: GRANT, subject_token_type: JWT, subject_token, ...more },
  });
  const given = await ask('exchangeToken', { key: undefined, ...of(await token()) });
  expect(wire.last?.headers.get('cache-control')).toBe('no-store');
  expect(given).toMatchObject({ token_type: 'N_A', tenant_id: tenantId });
  const { body } = of(await token(), { tenant_id: '' });
  const form = {
    headers: { 'content-type': `${FORM}; charset=utf-8` },
    body: `${new URLSearchParams(body)}`,
  };
  await ask('exchangeToken', { key: undefined, ...form });

  const nothing = 'exchangeToken';
  await wire.refuse('subject_token_refused', /exchanged before/, nothing, form);
  await wire.refuse('grant_type_unsupported', /token-exchange/, nothing, of('x', { grant_type: 'password' }));
  await wire.refuse('subject_token_refused', /must be one of/, nothing, of('x', { subject_token_type: 'x' }));
  await wire.refuse('subject_token_refused', /it is no JWT/, nothing, of('x'));
  const elsewhere = { headers: { 'x-tenant-id': NOBODY }, ...of(await token()) };
  await wire.refuse('token_rule_missing', /repository_id 731245980/, nothing, elsewhere);
  const proposed = of(await token({ event_name: 'pull_request' }));
  await wire.refuse('token_rule_unfit', /only by a rule that names the event/, nothing, proposed);
  const { id: other } = await ask('createTenant', { body: { name: 'other' } });
  const { key: all } = await ask('createApiKey', {
    body: { name: 'all', role: 'organization_admin', scope: 'organization' },
  });
  await ask('createTokenRule', { key: all, headers: { 'x-tenant-id': other }, body: rule });
  await wire.refuse('token_tenant_unclear', /several tenants/, nothing, of(await token()));

  await ask('deleteTokenRule', { params: { rule_id } });
  const { table } = world.deps;
  const key = { pk: `DN#EXCHANGES#${hashOf('127.0.0.1')}`, sk: 'A' };
  await transact(table, [update('count', key, { set: { count: EXCHANGES_MAX } }, present('pk'))]);
  await wire.refuse('too_many_exchanges', /within ten minutes/, nothing, of(await token()));

  for (let n = 0; n < TOKEN_RULES_MAX; n++) await ask('createTokenRule', { body: rule });
  await refused('state_forbids', /There are 100 token rules/, 'createTokenRule', { body: rule });
}
