import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Access } from '../../lib/contract/access.ts';
import { auditActions } from '../../lib/contract/audit.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import type { RouteRow } from '../../lib/contract/routes/route.ts';

/** What a function needs to hand out a credential or a secret. */
const handsOut: Access[] = [
  'keys:decrypt',
  'uploads:write',
  'artifacts:read',
  'repositories:push',
  'registry:pull',
];

const canHandOut = ({ access, credential }: RouteRow): boolean =>
  credential === true || handsOut.some((word) => (access as readonly Access[]).includes(word));

const actionsOf = ({ audit = [] }: RouteRow): readonly string[] => ('none' in audit ? [] : audit);

/** In the vocabulary of routes that are still to come. */
const kept = ['tenant.change'];
/** Of any route, and of none. */
const ofAll = ['request.refuse', 'webhook.disable'];

describe('the audit of the route table', () => {
  it('is stated by every route that writes, or can hand out something', () => {
    const stating = routes.filter((row) => row.method !== 'GET' || canHandOut(row));
    expect(stating.length).toBeGreaterThan(40);
    expect(stating.filter(({ audit }) => audit === undefined).map(({ operation }) => operation)).toEqual([]);
  });

  it('gives a reason for each route without events, and such a route hands out nothing', () => {
    const without = routes.filter(({ audit }) => audit !== undefined && 'none' in audit);
    expect(without.map(({ operation }) => operation).toSorted()).toEqual([
      'askServer',
      'begin',
      'completeTask',
      'createDeviceCode',
      'findDeviceLogin',
      'getSource',
      'heartbeatTask',
      'listBranches',
      'listEvents',
      'listRepositories',
      'lookAtRepository',
      'queryBuildLogs',
      'queryDeployLogs',
      'queryDeploymentLogs',
      'queryProjectDeployLogs',
      'queryRevisionLogs',
      'receiveDelivery',
      'reportStatus',
      'shipLogs',
      'shipTaskLogs',
      'testIntegration',
    ]);
    for (const { operation, audit } of without)
      expect([operation, audit]).toEqual([operation, { none: expect.stringMatching(/\w+ \w+ \w+/) }]);
  });

  it('uses every word of the vocabulary', () => {
    const used = new Set([...routes.flatMap(actionsOf), ...kept, ...ofAll]);
    expect([...used].toSorted()).toEqual(auditActions.toSorted());
  });
});

it('docs/identity.md says of every audit event what it tells', () => {
  const text = readFileSync(new URL('../../docs/identity.md', import.meta.url), 'utf8');
  const rows = text
    .slice(text.indexOf('## Audit'))
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/[a-z_]+\.[a-z_]+/g) ?? []);
  expect(documented.toSorted()).toEqual(auditActions.toSorted());
});
