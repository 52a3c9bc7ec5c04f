import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TokenRule } from '../../../lib/core/items/token-rules.ts';
import { type CiJob, jobIn, rulesThatFit, unfitIn } from '../../../lib/features/token-rules/match.ts';

const texts = fc.constantFrom('a', 'b', 'refs/heads/main', 'refs/tags/main', 'push', 'workflow_dispatch');
const events = fc.constantFrom(
  'push',
  'pull_request',
  'pull_request_target',
  'merge_request_event',
  'schedule',
);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

const jobs: fc.Arbitrary<CiJob> = fc.record({
  subject: fc.constant({ claim: 'repository_id', id: '1' } as const),
  repository: fc.constant('acme/agent'),
  ref: maybe(texts),
  environment: maybe(texts),
  event: maybe(events),
  runId: fc.constant('1'),
});

const rules: fc.Arbitrary<TokenRule> = fc
  .record({
    sk: fc.constantFrom('1', '2', '3', '4'),
    tenant_id: fc.constantFrom('t', 'u', 'v'),
    ref: maybe(texts),
    environment: maybe(texts),
    event_name: maybe(events),
    role: fc.constantFrom('viewer' as const, 'developer' as const),
  })
  .map((rule) => ({
    ...{ v: 1, entity: 'token_rule', organization_id: 'o', name: 'n', issuer: 'https://i.example' },
    ...{ subject: { claim: 'repository_id', id: '1' }, created_at: '', created_by: 'u' },
    ...rule,
  }));

const demands = ({ ref, environment, event_name }: TokenRule) => ({ ref, environment, event: event_name });

it('a rule takes a job that has each of its values, and no other', () => {
  fc.assert(
    fc.property(rules, jobs, (rule, job) => {
      const named = Object.entries(demands(rule)).filter(([, value]) => value !== undefined);
      const hasAll = named.every(([name, value]) =>
        Object.entries(job).some(([k, v]) => k === name && v === value),
      );
      const isTrusted =
        rule.event_name !== undefined || ['push', 'schedule'].some((event) => event === job.event);
      expect(unfitIn(rule, job).length === 0).toBe(hasAll && isTrusted);
    }),
  );
});

it('a rule that demands less takes no fewer jobs, but for events of pull requests', () => {
  fc.assert(
    fc.property(rules, jobs, fc.constantFrom('ref', 'environment'), (rule, job, name) => {
      if (unfitIn(rule, job).length === 0) expect(unfitIn({ ...rule, [name]: undefined }, job)).toEqual([]);
    }),
  );
});

it('of each tenant one rule is taken, which gives as much as any that fits, in whatever order they come', () => {
  fc.assert(
    fc.property(fc.array(rules), jobs, (some, job) => {
      const taken = rulesThatFit(some, job);
      const fitting = some.filter((rule) => unfitIn(rule, job).length === 0);
      expect(new Set(taken.map((rule) => rule.tenant_id))).toEqual(
        new Set(fitting.map((rule) => rule.tenant_id)),
      );
      for (const rule of taken) {
        const others = fitting.filter(({ tenant_id }) => tenant_id === rule.tenant_id);
        expect(rule.role === 'developer' || others.every(({ role }) => role === 'viewer')).toBe(true);
      }
      const idsOf = (many: TokenRule[]) =>
        many.map((rule) => `${rule.tenant_id} ${rule.role} ${rule.sk}`).sort();
      expect(idsOf(rulesThatFit(some.toReversed(), job))).toEqual(idsOf(taken));
    }),
  );
});

it('a job is known by a number alone, and by claims of its own', () => {
  expect(jobIn({})).toBeUndefined();
  expect(jobIn({ repository_id: 'acme' })).toBeUndefined();
  expect(jobIn({ repository_id: '-1' })).toBeUndefined();
  expect(jobIn({ repository_id: { toString: () => '1' } })).toBeUndefined();
  expect(jobIn({ repository_id: 1.5 })).toBeUndefined();
  expect(jobIn({ repository_id: '7', ref: 'x'.repeat(256), event_name: ['push'] })).toMatchObject({
    subject: { claim: 'repository_id', id: '7' },
    ref: undefined,
    event: undefined,
  });
  const inherited: Record<string, unknown> = Object.create({ repository_id: '7' });
  expect(jobIn(inherited)).toBeUndefined();
});
