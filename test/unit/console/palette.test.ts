import { describe, expect, it } from 'vitest';
import { actionsOn } from '../../../console/logic/actions.ts';
import { apartIn } from '../../../console/logic/apart.ts';
import { marked } from '../../../console/logic/fuzzy.ts';
import {
  actionEntries,
  deploymentAt,
  deploymentEntries,
  grouped,
  matching,
  pageEntries,
  type Recent,
  recentEntries,
  recentsIn,
  withRecent,
} from '../../../console/logic/palette.ts';
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
  const titlesOf = (entries: readonly { title: string }[]) => entries.map(({ title }) => title);

  it('holds what a role may do', () => {
    const active = revision(1, 'DEPLOYED');
    const { name } = deployment(active);
    const titles = (role: keyof typeof roleMatrix) =>
      titlesOf(actionEntries(deployment(active), [revision(2, 'BUILDING'), active], roleMatrix[role]));
    expect(titles('developer')).toEqual(
      expect.arrayContaining([
        `Log of revision 2 of ${name}`,
        `Interrupt revision 2 of ${name}…`,
        `Restart revision 1 of ${name}…`,
      ]),
    );
    expect(titles('viewer').join()).not.toMatch(/Interrupt|Restart/);
    const named = (role: keyof typeof roleMatrix) =>
      titlesOf(deploymentEntries([deployment(active)], roleMatrix[role]));
    const seen = [`Logs of ${name}`, `Metrics of ${name}`];
    expect(named('developer')).toEqual([
      `Go to ${name}`,
      `Try ${name}`,
      ...seen,
      `Deploy latest of ${name}…`,
      `Settings of ${name}`,
    ]);
    const later = titlesOf(deploymentEntries([deployment(revision(2, 'DEPLOYED'))], roleMatrix.developer));
    expect(later).toContain(`Roll back ${name}…`);
    expect(named('viewer')).toEqual([`Go to ${name}`, ...seen]);
    const pages = titlesOf(pageEntries(roleMatrix.viewer));
    expect(pages).not.toContain('New deployment');
    expect(pages).not.toContain('Audit log');
    expect(titlesOf(pageEntries(roleMatrix.admin))).toEqual(
      expect.arrayContaining(['Overview', 'Activity', 'Topology', 'Access', 'Audit log']),
    );
  });

  it('finds entries by every word that is typed, in any order, by letters too, the best first', () => {
    const entries = pageEntries(roleMatrix.developer);
    const found = (typed: string) => titlesOf(matching(entries, typed, 10));
    expect(found('deployments')[0]).toBe('Deployments');
    expect(found('dep').slice(0, 2)).toEqual(['Deployments', 'New deployment']);
    expect(found(' dep NEW ')).toEqual(['New deployment']);
    expect(found('ndp')).toEqual(['New deployment']);
    expect(found('nothing')).toEqual([]);
    expect(matching(entries, '', 3)).toHaveLength(3);
  });

  it('marks what was found, and puts the best apart as soon as something is typed', () => {
    const entries = deploymentEntries([deployment(revision(1, 'DEPLOYED'))], roleMatrix.developer);
    const found = matching(entries, 'set', 10);
    const [best] = found;
    const shown = marked(best?.title ?? '', best?.ranges ?? []);
    expect(shown[0]).toEqual({ text: 'Set', isFound: true });
    expect(shown.map(({ text }) => text).join('')).toBe(best?.title);
    expect(grouped(found, 'set')[0]?.title).toBe('Best match');
    expect(grouped(matching(entries, '', 10), '')[0]?.title).toBe(deployment(undefined).name);
    expect(grouped([], 'x')).toEqual([]);
  });

  it('keeps the pages that somebody went to lately, each once, and reads nothing else', () => {
    const pages = ['a', 'b', 'c', 'd', 'e', 'f', 'b'].map((title) => ({ title, to: `/${title}` }));
    const kept = pages.reduce<Recent[]>((all, each) => withRecent(all, each), []);
    expect(titlesOf(kept)).toEqual(['b', 'f', 'e', 'd', 'c']);
    expect(recentsIn(JSON.stringify(kept))).toEqual(kept);
    expect(titlesOf(recentEntries(kept))).toEqual(titlesOf(kept));
    for (const text of [null, '', 'no JSON', '{}', '[1, null, {"title": 1, "to": "/a"}]'])
      expect([text, recentsIn(text)]).toEqual([text, []]);
    expect(recentsIn('[{"title": "x", "to": "https://elsewhere.example"}]')).toEqual([]);
  });

  it('knows the deployment of a place', () => {
    expect(deploymentAt(`/deployments/${DEPLOYMENT}`)).toBe(DEPLOYMENT);
    expect(deploymentAt(`/deployments/${DEPLOYMENT}/revisions/x`)).toBe(DEPLOYMENT);
    expect([deploymentAt('/deployments/new'), deploymentAt('/deployments')]).toEqual([undefined, undefined]);
  });
});
