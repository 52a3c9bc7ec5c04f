import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betweenUrl, comparisonOf } from '../../../console/logic/comparison.ts';
import {
  barOf,
  described,
  makerOf,
  standingOf,
  takersOver,
  titleOf,
} from '../../../console/logic/revision-list.ts';
import { stepsOf, usualBuild } from '../../../console/logic/steps.ts';
import { shortAgo } from '../../../console/logic/time.ts';
import type { Revision } from '../../../lib/client/endpoints.ts';

const idOf = (number: number): string =>
  `01a21a8b-0000-7000-8000-0000${number.toString(16).padStart(8, '0')}`;
const START = Date.parse('2026-01-05T10:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

const bare: Revision = {
  id: idOf(1),
  number: 1,
  deployment_id: idOf(9),
  created_at: at(0),
  updated_at: at(0),
  source: 'github',
  source_revision_config: {
    repo_ref: 'main',
    graph_config_path: null,
    langgraph_config_path: null,
    image_uri: null,
    source_tarball_path: null,
    repo_commit_sha: null,
  },
  status: 'DEPLOYED',
  status_message: null,
  status_history: [],
  remote_reconciled: true,
  queue_position: null,
  interrupt_requested_at: null,
  configuration: null,
  commit: null,
  cause: { kind: 'request', delivery_id: null, revision_id: null, reason: null },
  created_by: { kind: 'service', id: 'slipway', name: null },
  runtime_resolved: null,
};
const revision = (number: number, more: Partial<Revision> = {}): Revision => ({
  ...bare,
  id: idOf(number),
  number,
  ...more,
});
const redeployOf = (number: number): Revision['cause'] => ({
  ...bare.cause,
  kind: 'redeploy',
  revision_id: idOf(number),
});
const built = (number: number, seconds: number, more: Partial<Revision> = {}): Revision =>
  revision(number, {
    status_history: [
      { status: 'QUEUED', at: at(0) },
      { status: 'BUILDING', at: at(1) },
      { status: 'DEPLOYING', at: at(1 + seconds) },
      { status: 'DEPLOYED', at: at(3 + seconds) },
    ],
    ...more,
  });

describe('a list of revisions', () => {
  it('says how each stands, seen from what serves', () => {
    const list = [
      revision(6, { status: 'QUEUED', queue_position: 2 }),
      revision(5, { status: 'BUILD_FAILED' }),
      revision(4, { cause: redeployOf(2) }),
      revision(3),
      revision(2),
      revision(1, { status: 'SKIPPED' }),
    ];
    const later = takersOver(list);
    const words = list.map(
      (each) => standingOf(each, { active_revision_id: idOf(4) }, later.get(each.id)).word,
    );
    const places = [1, 3, 11, 21, null].map(
      (place) =>
        standingOf(revision(6, { status: 'QUEUED', queue_position: place }), { active_revision_id: null })
          .word,
    );
    expect(places).toEqual(['Waiting, 1st', 'Waiting, 3rd', 'Waiting, 11th', 'Waiting, 21st', 'Queued']);
    expect(words).toEqual(['Waiting, 2nd', 'Build failed', 'Serving', 'Rolled back', 'Replaced', 'Skipped']);
  });

  it('says what each is of, and whose it is', () => {
    const commit = { message: 'Shorter prompt\n\nLong', author: 'Priya Shah <p@x.example>', at: at(0) };
    const push = { ...bare.cause, kind: 'push' as const };
    const person = { kind: 'person' as const, id: 'u', name: 'Mara' };
    const git = { kind: 'git' as const, id: 'i', name: 'github.com' };
    const uploaded = { ...bare.source_revision_config, repo_ref: null, source_tarball_path: 'a/b.tgz' };
    const list = [
      revision(1, { commit, cause: push, created_by: git }),
      revision(2, { commit, created_by: person }),
      revision(3, { cause: redeployOf(1), created_by: person }),
      revision(4, { source_revision_config: uploaded }),
      revision(5),
    ];
    expect(list.map((each) => [titleOf(each), makerOf(each)])).toEqual([
      ['Shorter prompt', 'Priya Shah'],
      ['Shorter prompt', 'Mara'],
      ['Revision 1 again', 'Mara'],
      ['Uploaded folder', null],
      ['A commit of main', null],
    ]);
  });

  it('takes what a commit says from the branch, where no push told', () => {
    const source_revision_config = { ...bare.source_revision_config, repo_commit_sha: 'a1' };
    const asked = revision(2, { source_revision_config });
    const known = { sha: 'a1', message: 'Answer in French', author: 'Lena', at: at(0) };
    const titles = [
      { head: known, commits: [] },
      { head: null, commits: [known] },
      { head: { ...known, message: null }, commits: [] },
      undefined,
    ].map((head) => titleOf(described(asked, head)));
    expect(titles).toEqual(['Answer in French', 'Answer in French', 'A commit of main', 'A commit of main']);
  });

  it('draws bars that never leave their row', () => {
    const kinds = ['queue', 'build', 'deploy'] as const;
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 3 }), fc.nat(), fc.boolean(), (times, more, isFailed) => {
        const stages = times.map((milliseconds, index) => ({
          kind: kinds[index] ?? 'queue',
          milliseconds,
          isOpen: false,
        }));
        const longest = times.reduce((sum, each) => sum + each, more);
        const bars = barOf(stages, longest, isFailed);
        expect(bars.every(({ x, width }) => x >= 0 && width > 0 && x + width <= 106)).toBe(true);
        if (longest > 0 && isFailed && bars.length > 0) expect(bars.at(-1)?.kind).toBe('failed');
      }),
    );
  });

  it('says how long ago in a narrow column', () => {
    const ages = [3, 30, 720, 7_200, 800_000, 40_000_000].map((seconds) => shortAgo(at(-seconds), START));
    expect([...ages, shortAgo('soon', START)]).toEqual([
      'now',
      '30 s',
      '12 min',
      '2 h',
      '9 d',
      '1 y',
      'soon',
    ]);
  });
});

describe('the way of a revision', () => {
  it('says where it failed, and what it never reached', () => {
    const failed = revision(2, {
      status: 'BUILD_FAILED',
      status_history: [
        { status: 'QUEUED', at: at(0) },
        { status: 'BUILDING', at: at(2) },
        { status: 'BUILD_FAILED', at: at(38) },
      ],
    });
    expect(stepsOf(failed, START, undefined)).toEqual([
      { title: 'Queue', state: 'done', says: '2.0 s' },
      { title: 'Build', state: 'failed', says: 'failed after 36 s' },
      { title: 'Deploy', state: 'ahead', says: 'not reached' },
    ]);
  });

  it('says how long builds usually take while one goes on', () => {
    const usual = usualBuild([
      built(3, 41),
      built(2, 900, { status: 'DEPLOY_FAILED' }),
      built(1, 39),
      built(0, 60),
    ]);
    const open = revision(4, {
      status: 'BUILDING',
      status_history: [
        { status: 'QUEUED', at: at(0) },
        { status: 'BUILDING', at: at(1) },
      ],
    });
    expect(stepsOf(open, START + 30_000, usual)[1]).toEqual({
      title: 'Build',
      state: 'open',
      says: '29 s so far, usually 41 s',
    });
    expect(usualBuild([])).toBeUndefined();
  });
});

describe('a comparison of two revisions', () => {
  const configured = (more: object): Revision['configuration'] => ({
    repo_url: 'https://git.example/x',
    install_command: null,
    build_command: null,
    root_directory: null,
    dockerfile_path: null,
    docker_target: null,
    build_env: null,
    build_secrets: null,
    start_command: null,
    health_check: null,
    runtime: null,
    resource_spec: null,
    secret_names: [],
    secrets_version: null,
    build_secrets_version: null,
    ...more,
  });
  const source = (sha: string) => ({ ...bare.source_revision_config, repo_commit_sha: sha });

  it('groups what differs by what it concerns, and always says how long each took', () => {
    const from = built(1, 10, {
      source_revision_config: source('a'.repeat(40)),
      configuration: configured({}),
    });
    const to = built(2, 20, {
      source_revision_config: source('b'.repeat(40)),
      configuration: configured({
        build_command: 'make',
        resource_spec: { cpu: 2 },
        secret_names: ['KEY'],
        secrets_version: 1,
      }),
    });
    const { source: code, configuration, secrets, resources, durations } = comparisonOf(from, to, START);
    expect(code.map(({ what }) => what)).toEqual(['Commit']);
    expect(configuration).toEqual([{ what: 'Build command', from: null, to: 'make' }]);
    expect(secrets.map(({ what }) => what)).toEqual(['Names of secrets', 'Values of secrets']);
    expect(resources).toEqual([{ what: 'Resources: cpu', from: null, to: '2' }]);
    expect(durations).toEqual([
      { what: 'Queue', from: '1.0 s', to: '1.0 s' },
      { what: 'Build', from: '10 s', to: '20 s' },
      { what: 'Deploy', from: '2.0 s', to: '2.0 s' },
      { what: 'In all', from: '13 s', to: '23 s' },
    ]);
  });

  it('links to what lies between two commits, where their host is known', () => {
    const [from, to] = [
      revision(1, { source_revision_config: source('a1') }),
      revision(2, { source_revision_config: source('b2') }),
    ];
    const template = 'https://git.example/x/compare/{from}...{to}';
    expect(betweenUrl(template, from, to)).toBe('https://git.example/x/compare/a1...b2');
    expect([
      betweenUrl(null, from, to),
      betweenUrl(template, from, from),
      betweenUrl(template, bare, to),
    ]).toEqual([null, null, null]);
  });
});
