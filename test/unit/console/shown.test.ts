import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causeOf } from '../../../console/logic/cause.ts';
import { curlOf } from '../../../console/logic/curl.ts';
import { differenceOf } from '../../../console/logic/difference.ts';
import { ownHostOf } from '../../../console/logic/own-host.ts';
import { reasonShown } from '../../../console/logic/reason.ts';
import { wordsOf } from '../../../console/logic/refusal.ts';
import { repositoryName, shortSource, sourceWord } from '../../../console/logic/source.ts';
import { stagesOf, totalOf } from '../../../console/logic/stages.ts';
import { isMoving, lookOf } from '../../../console/logic/status.ts';
import { ago, duration } from '../../../console/logic/time.ts';
import type { Revision } from '../../../lib/client/endpoints.ts';
import { Refusal } from '../../../lib/client/refusal.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import {
  deploymentStatuses,
  revisionCauses,
  revisionStatuses,
  sources,
} from '../../../lib/contract/revision-status.ts';
import { revisionId } from '../../../lib/domain/revision-id.ts';
import { sourceKinds } from '../../../lib/domain/source.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import { getRevision } from '../../../lib/features/revisions/routes.ts';

const example = (): Revision => getRevision.response.parse(exampleOf('getRevision').response);

describe('a status', () => {
  it('has a look of its own kind, and moves exactly while it can change', () => {
    for (const status of [...revisionStatuses, ...deploymentStatuses]) {
      expect(lookOf(status).word).toMatch(/^[A-Z][a-z]/);
      expect([status, lookOf(status).shape === 'cross']).toEqual([status, status.endsWith('_FAILED')]);
    }
    for (const status of revisionStatuses)
      expect([status, isMoving(status)]).toEqual([status, !isTerminal(status)]);
  });

  it('that this version does not know is shown by its name', () => {
    expect(lookOf('ROLLING_OUT')).toEqual({ tone: 'warn', shape: 'triangle', word: 'Rolling out' });
    expect(lookOf('constructor').word).toBe('Constructor');
  });
});

const ID = '0190a000-0000-7000-8000-000000000001';
const AT = '2026-03-01T10:00:00.000Z';

describe('what a queued revision waits for', () => {
  it('is named by its number, with what it does and for how long', () => {
    const id = revisionId(ID, 12);
    const said = `Waits for revision ${id}, which is BUILDING, in progress since ${AT}.`;
    const now = Date.parse(AT) + 185_000;
    expect(reasonShown(said, now)).toBe('Waits for revision 12, building for 3 min.');
    expect(reasonShown(said.replace('BUILDING', 'AWAITING_DEPLOY'), now)).toBe(
      'Waits for revision 12, waiting to deploy for 3 min.',
    );
    for (const other of ['Next in line; about to be processed.', 'No such branch.', said.slice(0, -9)])
      expect(reasonShown(other, now)).toBe(other);
  });

  it('whatever the API says of it', () => {
    for (const status of revisionStatuses)
      expect(
        reasonShown(
          `Waits for revision ${revisionId(ID, 3)}, which is ${status}, in progress since ${AT}.`,
          Date.parse(AT) + 40_000,
        ),
      ).toMatch(/^Waits for revision 3, [a-z][a-z ]+ for 40 s\.$/);
  });
});

describe('the cause of a revision', () => {
  const cause = (given: Partial<Revision['cause']>) =>
    causeOf({ cause: { kind: 'request', delivery_id: null, revision_id: null, reason: null, ...given } });

  it('is said where it is more than a request', () => {
    const again = revisionId('0190a000-0000-7000-8000-000000000001', 7);
    expect(cause({})).toBe(null);
    expect(cause({ kind: 'push', delivery_id: 'd' })).toBe('By a push');
    expect(cause({ kind: 'redeploy', revision_id: again })).toBe('Runs revision 7 again');
    expect(cause({ kind: 'redeploy', revision_id: again, reason: 'a fault' })).toBe(
      'Runs revision 7 again: a fault',
    );
    for (const kind of revisionCauses) expect(cause({ kind }) === null).toBe(kind === 'request');
  });
});

describe('the stages of a revision', () => {
  it('are of its history, and what goes on ends now', () => {
    const at = (second: number) => new Date(second * 1000).toISOString();
    const history = (['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING'] as const).map((status, index) => ({
      status,
      at: at(index * 10),
    }));
    expect(stagesOf({ status: 'BUILDING', status_history: history }, 45_000)).toEqual([
      { kind: 'queue', milliseconds: 20_000, isOpen: false },
      { kind: 'build', milliseconds: 25_000, isOpen: true },
    ]);
    const ended = {
      status: 'BUILD_FAILED' as const,
      status_history: [...history, { status: 'BUILD_FAILED' as const, at: at(60) }],
    };
    expect(stagesOf(ended, 9e12)).toEqual([
      { kind: 'queue', milliseconds: 20_000, isOpen: false },
      { kind: 'build', milliseconds: 40_000, isOpen: false },
    ]);
  });

  it('are together as long as its whole life', () => {
    const { status, status_history: history } = example();
    const [first, last] = [history.at(0), history.at(-1)].map((each) => Date.parse(each?.at ?? ''));
    expect(totalOf(stagesOf({ status, status_history: history }, 9e15))).toBe((last ?? 0) - (first ?? 0));
  });

  it('belong to a revision with the number that its id ends with', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffffffff }), (number) => {
        expect(numberOf(revisionId('0190a000-0000-7000-8000-00000000abcd', number))).toBe(number);
      }),
    );
  });
});

describe('a difference', () => {
  const configuration = {
    repo_url: 'r',
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
    resource_spec: { cpu: 1 },
    secret_names: ['A'],
    secrets_version: 1,
    build_secrets_version: null,
  };
  it('is nothing between a revision and itself', () => {
    expect(differenceOf({ ...example(), configuration }, { ...example(), configuration })).toEqual([]);
  });

  it('names what changes, resource by resource, and of secrets the names and versions', () => {
    const to = {
      ...example(),
      source_revision_config: { ...example().source_revision_config, repo_commit_sha: 'f'.repeat(40) },
      configuration: {
        ...configuration,
        build_command: 'make',
        build_env: [
          { name: 'A', value: 'b' },
          { name: 'C', value: '' },
        ],
        build_secrets: [{ name: 'TOKEN', value: '**********' as const }],
        start_command: 'gunicorn a',
        health_check: { path: '/health', timeout_seconds: 60 },
        runtime: 'dev' as const,
        resource_spec: { cpu: 2, memory_mb: 256 },
        secret_names: ['B', 'A'],
        secrets_version: 2,
      },
    };
    expect(differenceOf({ ...example(), configuration }, to)).toEqual([
      { what: 'Commit', from: expect.any(String), to: 'ffffffffff' },
      { what: 'Build command', from: null, to: 'make' },
      { what: 'Build variables', from: null, to: 'A=b, C=' },
      { what: 'Names of build secrets', from: null, to: 'TOKEN' },
      { what: 'Start command', from: null, to: 'gunicorn a' },
      { what: 'Health check', from: null, to: '/health, within 60 s' },
      { what: 'Runtime', from: null, to: 'dev' },
      { what: 'Names of secrets', from: 'A', to: 'A, B' },
      { what: 'Values of secrets', from: 'version 1', to: 'version 2' },
      { what: 'Resources: cpu', from: '1', to: '2' },
      { what: 'Resources: memory_mb', from: null, to: '256' },
    ]);
  });
});

describe('times', () => {
  it.each([
    [850, '850 ms'],
    [4_200, '4.2 s'],
    [9_960, '10 s'],
    [59_600, '1 min'],
    [65_000, '1 min 5 s'],
    [7_380_000, '2 h 3 min'],
  ])('%i ms is %s', (milliseconds, text) => expect(duration(milliseconds)).toBe(text));

  it.each([
    [0, 'just now'],
    [45, '45 seconds ago'],
    [200, '3 minutes ago'],
    [90_000, 'yesterday'],
  ])('%i s ago is %s', (seconds, text) =>
    expect(ago(new Date(1e12 - seconds * 1000).toISOString(), 1e12)).toBe(text),
  );
});

describe('what was refused', () => {
  const refused = (status: number, body: unknown) => new Refusal(new Response(null, { status }), body);

  it('is said in the words of the API', () => {
    const body = { detail: 'The store is not responding at the moment; try again.', code: 'unavailable' };
    expect(wordsOf(refused(503, body))).toBe(body.detail);
    expect(wordsOf(refused(404, { detail: 'Gone.', code: 'path_not_found' }))).toBe('Gone.');
  });

  it.each([
    [429, /Too many requests/],
    [503, /busy or restarting/],
    [502, /status 502/],
  ])('with status %i and no words of ours is said all the same', (status, words) => {
    expect(wordsOf(refused(status, undefined))).toMatch(words);
    expect(wordsOf(refused(status, { message: 'from a gateway' }))).toMatch(words);
  });

  it('by nobody is said to be asked again', () => {
    expect(wordsOf(new Refusal({ status: 0, detail: 'x does not answer.' }, undefined))).toMatch(
      /does not answer/,
    );
    expect(wordsOf('?')).toBe('Something went wrong.');
  });
});

describe('a request', () => {
  it('as a command names no key, and a shell reads what was meant', () => {
    const command = curlOf('https://a.example', 'POST /v2/x', { body: { reason: "it's; $(x)" } });
    expect(command).toContain('-H "X-Api-Key: $SLIPWAY_API_KEY"');
    expect(command).toContain(`-d '{"reason":"it'\\''s; $(x)"}'`);
  });

  it('as a command has variables in the place of secrets, which the shell fills in', () => {
    const body = { token: 'canary', webhook_secret: 'canary', nested: { client_secret: 'canary' } };
    const command = curlOf('https://a.example', 'POST /v2/x', { body });
    expect(command).not.toContain('canary');
    expect(command).toContain(`"token":"'"$TOKEN"'"`);
    expect(command).toContain(`"client_secret":"'"$CLIENT_SECRET"'"`);
  });
});

it.each([
  ['https://github.com/you/project.git', 'github.com/you/project'],
  ['ssh://git@git.example/team/agent.git', 'git.example/team/agent'],
  ['git@git.example:team/agent', 'git.example/team/agent'],
  ['file:///tmp/x/hello', 'hello'],
  ['registry.example/app:1', 'registry.example/app:1'],
])('the source %s is said as %s', (address, short) => expect(shortSource(address)).toBe(short));

it.each([
  ['https://github.com/you/project.git', 'you/project'],
  ['https://localhost:3000/harbor/support.git', 'harbor/support'],
  ['file:///tmp/x/hello', 'hello'],
])('the repository %s is called %s', (address, name) => expect(repositoryName(address)).toBe(name));

it.each(sources)(
  'a deployment with the source %s is shown by its commit if it comes from a repository',
  (source) => {
    expect(sourceWord({ source }) === null).toBe(sourceKinds[source].needs === 'repo_url');
  },
);

describe('the host that is a deployment’s alone', () => {
  it.each([
    ['http://localhost:4401/d/shop', 'http://shop.localhost:4401/'],
    ['http://localhost/agents/shop/', 'http://shop.localhost/'],
    ['https://agents.example/d/shop', null],
    ['http://localhost:3000', null],
    [null, null],
  ])('of %s is %s', (url, expected) => {
    expect(ownHostOf({ name: 'shop', url })).toBe(expected);
  });
});
