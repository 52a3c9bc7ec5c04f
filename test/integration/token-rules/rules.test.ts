import { expect, it } from 'vitest';
import { TOKEN_RULES_MAX } from '../../../lib/features/token-rules/create.ts';
import { getTokenRule } from '../../../lib/features/token-rules/get.ts';
import { listTokenRules } from '../../../lib/features/token-rules/list.ts';
import { listTokenRules as listRow } from '../../../lib/features/token-rules/routes.ts';
import { createTokenRuleBody } from '../../../lib/features/token-rules/shape.ts';
import { dropRule, makeRule, withCi } from '../../support/oauth/ci.ts';
import { refusal, refusedWith } from '../../support/world/requests.ts';

it('rules are made, shown, listed newest first, and deleted', async () => {
  const { issuer, admin } = await withCi();
  const first = await makeRule(admin, { environment: 'production' });
  const second = await makeRule(admin, { repository_id: null, project_id: '7', role: 'viewer' });
  expect(first).toMatchObject({
    issuer: issuer.url,
    repository_id: '731245980',
    project_id: null,
    ref: null,
    environment: 'production',
    event_name: null,
    role: 'developer',
    created_by: admin.caller.userId,
  });
  expect(second).toMatchObject({ repository_id: null, project_id: '7' });
  const params = { rule_id: first.id };
  expect(await getTokenRule(admin.deps, { params }, admin.caller)).toEqual(first);
  const listed = async () =>
    (await listTokenRules(admin.deps, { query: listRow.query.parse({}) }, admin.caller)).resources;
  expect(await listed()).toEqual([second, first]);
  await dropRule(admin, second.id);
  expect(await listed()).toEqual([first]);
  const other = admin.as();
  expect(await refusedWith(getTokenRule(admin.deps, { params }, other.caller))).toBe(
    `404 Token rule ID ${first.id} not found.`,
  );
});

it('a rule is about an issuer of the installation, and the refusal names them', async () => {
  const { issuer, admin } = await withCi();
  expect(await refusal(makeRule(admin, { issuer: `${issuer.url}/` }))).toMatchObject({
    status: 422,
    detail: [{ loc: ['body', 'issuer'], msg: expect.stringContaining(issuer.url) }],
  });
  admin.deps.tokenIssuers = { ...admin.deps.tokenIssuers, issuers: [] };
  expect(await refusal(makeRule(admin, { issuer: issuer.url }))).toMatchObject({
    status: 422,
    detail: [{ msg: expect.stringContaining('(setting oidcIssuers): this installation has none yet') }],
  });
});

it('a tenant has so many rules', async () => {
  const { admin } = await withCi();
  const some = Array.from({ length: TOKEN_RULES_MAX }, (_, n) =>
    makeRule(admin, { repository_id: `${n + 1}` }),
  );
  const [first] = await Promise.all(some);
  expect(await refusedWith(makeRule(admin, {}))).toBe(
    '409 There are 100 token rules already, which is the limit: delete one first.',
  );
  await dropRule(admin, first?.id ?? '');
  await makeRule(admin, {});
});

const rule = { name: 'n', issuer: 'https://i.example', repository_id: '1', role: 'developer' };

it.each<[string, object]>([
  ['neither number', { repository_id: undefined }],
  ['both numbers', { project_id: '1' }],
  ['a name for a number', { repository_id: 'acme/agent' }],
  ['a pattern for a number', { repository_id: '*' }],
  ['a number below one', { repository_id: '0' }],
  ['a pattern for a ref', { ref: 'refs/heads/*' }],
  ['a short ref', { ref: 'main' }],
  ['a pattern for an environment', { environment: 'prod*' }],
  ['a pattern for an event', { event_name: '*' }],
  ['an empty event', { event_name: '' }],
  ['a role above a developer', { role: 'admin' }],
  ['the role of a listener', { role: 'listener' }],
  ['no role', { role: undefined }],
])('a rule with %s is refused', (_, changes) => {
  expect(createTokenRuleBody.safeParse(rule).success).toBe(true);
  expect(createTokenRuleBody.safeParse({ ...rule, ...changes }).success).toBe(false);
});
