import { describe, expect, it } from 'vitest';
import { outdatedBy } from '../../../console/logic/feed.ts';
import {
  deedFor,
  isAbout,
  markOf,
  type Need,
  namesIn,
  partsOf,
  placeOfEntry,
  toneOfNeed,
} from '../../../console/logic/happened.ts';
import { countsOf, newestLines, standingOf } from '../../../console/logic/standing.ts';
import { isMoving } from '../../../console/logic/status.ts';
import { fitted, lineOf, topologyOf } from '../../../console/logic/topology.ts';
import type { ListedDeployment } from '../../../lib/client/endpoints.ts';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import { type RevisionStatus, revisionStatuses } from '../../../lib/contract/revision-status.ts';
import { revisionId } from '../../../lib/domain/revision-id.ts';
import { listActivity, listAttention } from '../../../lib/features/activity/routes.ts';
import { activityKinds, attentionKinds } from '../../../lib/features/activity/shape.ts';
import { listDeployments } from '../../../lib/features/deployments/routes.ts';
import { listListeners } from '../../../lib/features/listeners/routes.ts';
import { getRevision } from '../../../lib/features/revisions/routes.ts';

const DEPLOYMENT = '0190a000-0000-7000-8000-000000000001';
const [listed] = listDeployments.response.parse(exampleOf('listDeployments').response).resources;
const someRevision = getRevision.response.parse(exampleOf('getRevision').response);

function deployment(changes: Partial<ListedDeployment>): ListedDeployment {
  if (listed === undefined) throw new Error('the list has an example');
  return { ...listed, status: 'READY', traffic: null, ...changes };
}

const newest = (status: RevisionStatus, number = 2) => ({
  ...someRevision,
  id: revisionId(DEPLOYMENT, number),
  status,
});

describe('how a deployment stands', () => {
  it('is by what is on its way or has failed first, with what serves meanwhile', () => {
    const active = revisionId(DEPLOYMENT, 1);
    for (const status of revisionStatuses) {
      const { group, under } = standingOf(
        deployment({ latest_revision: newest(status), active_revision_id: active }),
      );
      const failed = status.endsWith('_FAILED');
      const moves = isMoving(status);
      const expected = failed
        ? ['failing', '1 still serves']
        : moves
          ? ['moving', '1 serves']
          : ['serving', 'Revision 1'];
      expect([status, group, under]).toEqual([status, ...expected]);
    }
    const nothing = deployment({ latest_revision: newest('BUILD_FAILED'), active_revision_id: null });
    expect(standingOf(nothing)).toMatchObject({ group: 'failing', under: 'Nothing serves' });
  });

  it('is failing where it restarts again and again, and where its health is not known', () => {
    const traffic = {
      step: 300,
      from: '2026-11-21T11:29:00Z',
      requests: [3],
      failed: [0],
      a_minute: 3,
      restarts: 6,
    };
    const restarting = deployment({ latest_revision: newest('DEPLOYED'), traffic });
    expect(standingOf(restarting)).toMatchObject({ look: { word: 'Restarting' }, group: 'failing' });
    const unknown = deployment({ status: 'UNKNOWN', latest_revision: newest('DEPLOYED') });
    expect(standingOf(unknown).group).toBe('failing');
    const all = [restarting, unknown, deployment({ latest_revision: newest('DEPLOYED') })];
    expect(countsOf(all)).toEqual({ all: 3, serving: 1, moving: 0, failing: 2 });
  });

  it('has its newest revision in two lines: what it brought, and by whom', () => {
    const commit = { message: 'Retry twice', author: 'Priya', at: '2026-11-21T11:29:13Z' };
    const sha = 'abcdef0123456789abcdef0123456789abcdef01';
    const revision = {
      ...newest('DEPLOYED', 42),
      commit,
      source_revision_config: { ...someRevision.source_revision_config, repo_commit_sha: sha },
    };
    const lines = newestLines(deployment({ latest_revision: revision }));
    expect(lines?.title).toBe('Retry twice');
    expect(lines?.under).toMatch(/^Revision 42 · abcdef\w* · Priya$/);
    expect(newestLines(deployment({ latest_revision: null }))).toBeUndefined();
  });
});

describe('what happened', () => {
  const [entry] = listActivity.response.parse(exampleOf('listActivity').response).resources;
  const [need] = listAttention.response.parse(exampleOf('listAttention').response).resources;
  if (entry === undefined || need === undefined) throw new Error('both have examples');

  it('is told with its names apart, each where it stands as a word of its own', () => {
    const { says } = entry;
    const parts = partsOf(says, namesIn(entry));
    expect(parts.map(({ text }) => text).join('')).toBe(says);
    expect(parts.filter(({ isName }) => isName).map(({ text }) => text)).toEqual([
      'mara@example.com',
      'support-agent',
    ]);
    const inner = partsOf('a created a-b', ['a', 'a-b']);
    expect(inner.filter(({ isName }) => isName).map(({ text }) => text)).toEqual(['a', 'a-b']);
    expect(partsOf('nobody is named here', ['x', '', undefined])).toEqual([
      { text: 'nobody is named here', isName: false },
    ]);
  });

  it('has a mark for every kind, also for one that comes later', () => {
    for (const kind of [...activityKinds, 'of_a_later_release']) {
      expect(markOf(kind)).toHaveLength(2);
      expect(isAbout('all', kind)).toBe(true);
    }
    expect(isAbout('trouble', 'revision_failed')).toBe(true);
    expect(isAbout('deploys', 'key_changed')).toBe(false);
    expect(isAbout('settings', 'key_changed')).toBe(true);
    expect(placeOfEntry(entry)).toMatch(/^\/deployments\/.*\/revisions\//);
  });

  it('has one thing to do about whatever needs somebody', () => {
    const of = (kind: Need['kind']) => deedFor({ ...need, kind, subject: { id: 'x', name: 'x' } });
    for (const kind of attentionKinds) {
      expect(of(kind).title).not.toBe('');
      expect(of(kind).to).toMatch(/^\/(?:deployments|listeners|webhooks|access)/);
      expect(['bad', 'warn']).toContain(toneOfNeed(kind));
    }
  });

  it('makes old what it tells and what needs somebody, whatever it is', () => {
    const event = { type: 'listener.offline', listener_id: 'x' } as never;
    const keys = outdatedBy([event]).map((key) => key.join(' '));
    expect(keys).toEqual(expect.arrayContaining(['listeners', 'activity', 'attention']));
    expect(outdatedBy([])).toEqual([]);
  });
});

describe('the picture of who talks to what', () => {
  const [listener] = listListeners.response.parse(exampleOf('listListeners').response).resources;
  if (listener === undefined) throw new Error('the list has an example');
  const many = Array.from({ length: 200 }, (_, at) =>
    deployment({
      id: `0190a000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      name: `agent-${at}-${'x'.repeat(50)}`,
      url: `https://agents.example/d/agent-${at}`,
      runtime_resolved: 'durable',
      source_config: { ...deployment({}).source_config, listener_id: listener.id },
    }),
  );

  it('names some of many, counts the rest, and no box lies on another', () => {
    const { nodes, edges, height } = topologyOf(many, [listener]);
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
    expect(nodes.find(({ id }) => id.startsWith('more'))?.title).toBe('195 more');
    expect(Math.max(...nodes.map(({ y }) => y))).toBeLessThan(height);
    expect(
      edges.some(({ says, from }) => says.startsWith('keeps threads') && from.title === 'PostgreSQL'),
    ).toBe(true);
    for (const edge of edges) expect(lineOf(edge)).toMatch(/^M[\d. ]+C[\d. ]+$/);
  });

  it('shows a listener that is offline and runs nothing, and cuts what is too long for a box', () => {
    const { nodes } = topologyOf([], [{ ...listener, status: 'OFFLINE' }]);
    expect(nodes.find(({ id }) => id === listener.id)).toMatchObject({ under: 'Offline', tone: 'warn' });
    expect(fitted('short')).toBe('short');
    expect(fitted('x'.repeat(60))).toHaveLength(20);
  });
});
