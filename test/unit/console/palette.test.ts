import { describe, expect, it } from 'vitest';
import { actionsOn } from '../../../console/logic/actions.ts';
import { apartIn } from '../../../console/logic/apart.ts';
import { actionEntries, deploymentAt, matching, pageEntries } from '../../../console/logic/palette.ts';
import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import { revisionStatuses } from '../../../lib/contract/revision-status.ts';
import { roleMatrix } from '../../../lib/contract/roles.ts';
import { revisionId } from '../../../lib/domain/revision-id.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import { getDeployment } from '../../../lib/features/deployments/routes.ts';
import { getRevision } from '../../../lib/features/revisions/routes.ts';

const DEPLOYMENT = '0190a000-0000-7000-8000-000000000001';
const revision = (number: number, status: Revision['status']): Revision => ({
  ...getRevision.response.parse(exampleOf('getRevision').response),
  id: revisionId(DEPLOYMENT, number),
  status,
  interrupt_requested_at: null,
});
const deployment = (active: Revision | undefined): Deployment => ({
  ...getDeployment.response.parse(exampleOf('getDeployment').response),
  id: DEPLOYMENT,
  status: 'READY',
  active_revision_id: active?.id ?? null,
});

describe('what can be done to a revision', () => {
  it('is to stop it exactly while it moves, and to run it again by a name that says what that is', () => {
    const active = revision(2, 'DEPLOYED');
    for (const status of revisionStatuses) {
      const { canStop, again } = actionsOn(revision(1, status), deployment(active), active);
      expect([status, canStop]).toEqual([status, !isTerminal(status)]);
      const runs = isTerminal(status) && status !== 'SKIPPED' && status !== 'CREATE_FAILED';
      expect([status, again]).toEqual([status, runs ? 'Roll back' : undefined]);
    }
    expect(actionsOn(active, deployment(active), active).again).toBe('Restart');
    expect(actionsOn(revision(3, 'DEPLOY_FAILED'), deployment(active), active).again).toBe('Redeploy');
    const deleted = { ...deployment(active), status: 'AWAITING_DELETE' as const };
    expect(actionsOn(active, deleted, active)).toEqual({ canStop: false, again: undefined });
  });
});

describe('what serves, beside what a deployment is configured to be', () => {
  it('is named in words, unless a revision is on its way', () => {
    const apart = (fields: string[], newest: Revision | undefined) =>
      apartIn({ active_configuration: { differs: fields.length > 0, fields } }, newest);
    const fields = ['secrets', 'source_config.resource_spec', 'source_config.new_one'];
    const named = ['secrets', 'resources', 'source_config.new_one'];
    for (const status of revisionStatuses)
      expect([status, apart(fields, revision(2, status))]).toEqual([status, isTerminal(status) ? named : []]);
    expect(apart([], revision(2, 'DEPLOYED'))).toEqual([]);
    expect(apart(fields, undefined)).toEqual([]);
    expect(apartIn({ active_configuration: null }, revision(2, 'DEPLOYED'))).toEqual([]);
  });
});

describe('the palette', () => {
  it('holds what a role may do', () => {
    const active = revision(1, 'DEPLOYED');
    const titles = (role: keyof typeof roleMatrix) =>
      actionEntries(deployment(active), [revision(2, 'BUILDING'), active], roleMatrix[role]).map(
        ({ title }) => title,
      );
    expect(titles('developer')).toEqual(
      expect.arrayContaining(['Settings', 'Interrupt revision 2', 'Restart revision 1', 'Log of revision 2']),
    );
    expect(titles('viewer').join()).not.toMatch(/Settings|Interrupt|Restart/);
    expect(pageEntries(roleMatrix.viewer).map(({ title }) => title)).not.toContain('New deployment');
  });

  it('finds entries by every word that is typed, in any order, and those that begin with it first', () => {
    const entries = pageEntries(roleMatrix.developer);
    expect(matching(entries, 'dep').map(({ title }) => title)).toEqual(['Deployments', 'New deployment']);
    expect(matching(entries, ' dep NEW ').map(({ title }) => title)).toEqual(['New deployment']);
    expect(matching(entries, 'nothing')).toEqual([]);
    expect(matching(entries, '')).toEqual(entries);
  });

  it('knows the deployment of a place', () => {
    expect(deploymentAt(`/deployments/${DEPLOYMENT}`)).toBe(DEPLOYMENT);
    expect(deploymentAt(`/deployments/${DEPLOYMENT}/revisions/x`)).toBe(DEPLOYMENT);
    expect([deploymentAt('/deployments/new'), deploymentAt('/deployments')]).toEqual([undefined, undefined]);
  });
});
