import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { routes } from '../../../lib/contract/routes/index.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';

type Part = 'body' | 'query';

/** What is wrong with one part of a request, as the answer would say it. */
function problemsOf(operation: string, part: Part, given: object): string[] {
  const row: RouteRow | undefined = routes.find((each) => each.operation === operation);
  const schema = row?.[part];
  if (schema === undefined) throw new Error(`${operation} has no ${part}`);
  return (parsePart(part, schema, given).items ?? []).map(({ loc, type }) => `${loc.join('.')} ${type}`);
}

const report = { deployment_id: randomUUID(), epoch: 1, revision_id: null, healthy: true };
const tooMany = Array.from({ length: 501 }, () => report);
const ids = Array.from({ length: 101 }, () => '0190a000-0000-7000-8000-00000000dead').join();

it.each<[operation: string, part: Part, given: object, problem: string]>([
  ['deleteDeployments', 'query', {}, 'query.deployment_ids missing'],
  ['deleteDeployments', 'query', { deployment_ids: ids }, 'query.deployment_ids too_long'],
  ['queryRevisionLogs', 'query', {}, 'query.type missing'],
  ['claimTasks', 'body', { instance_id: 'i', max: 101 }, 'body.max less_than_equal'],
  ['claimTasks', 'body', { instance_id: 'i', reports: tooMany }, 'body.reports too_long'],
  ['reportStatus', 'body', {}, 'body.reports missing'],
  ['shipLogs', 'body', {}, 'body.batches missing'],
  ['createTenant', 'body', {}, 'body.name missing'],
  ['createIntegration', 'body', { type: 'github' }, 'body.token missing'],
  ['listAuditEvents', 'query', { action: 'nothing' }, 'query.action enum'],
  ['listTokens', 'query', {}, 'query.provider_id missing'],
  [
    'importToken',
    'body',
    { provider_id: 'p', access_token: 'a\nb' },
    'body.access_token string_pattern_mismatch',
  ],
  ['createConnection', 'body', {}, 'body.oauth_token_id missing'],
  ['waitForConsent', 'query', { timeout: 'long' }, 'query.timeout value_error'],
  ['callback', 'body', { code: 'a-code' }, 'body.state missing'],
])('%s with the %s %j is refused', (operation, part, given, problem) => {
  expect(problemsOf(operation, part, given)).toEqual([problem]);
});
