import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDeployment, getConfiguration } from '../../../lib/core/items/deployments.ts';
import { openDeploymentSecrets } from '../../../lib/core/secrets.ts';
import { change, github, interrupt, post, register, revisions, show } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const MASK = '**********';
const names = ['A', 'B', 'C'] as const;

/** What a deployment should be configured to be, merged by the plain words of the rules. */
type Model = {
  texts: Record<string, string | null>;
  resourceSpec: object | null;
  healthCheck: object | null;
  buildEnv: object | null;
  pushes: boolean | null;
  drainSeconds: number | null;
  ref: string;
  path: string;
  secrets: Map<string, string>;
  revisions: number;
};

const orAbsent = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constant(null), value);
const patches = fc.record(
  {
    source_config: fc.record(
      {
        repo_url: orAbsent(fc.constantFrom('https://example.com/a.git', 'ssh://git@example.com/b.git')),
        install_command: orAbsent(fc.constantFrom('', 'make', 'make deps')),
        build_command: orAbsent(fc.constantFrom('', 'npm run build')),
        custom_url: orAbsent(fc.constantFrom('', 'https://a.example', 'http://b.example/c')),
        resource_spec: orAbsent(
          fc.constantFrom({}, { cpu: 1 }, { memory_mb: 256, cpu: 0.5 }, { labels: { a: 'b' } }),
        ),
        build_on_push: orAbsent(fc.boolean()),
        drain_seconds: orAbsent(fc.constantFrom(0, 60, 3600)),
        root_directory: orAbsent(fc.constantFrom('', 'apps/a')),
        start_command: orAbsent(fc.constantFrom('', 'serve', 'serve --port $PORT')),
        health_check: orAbsent(fc.constantFrom({}, { path: '/health' }, { timeout_seconds: 5 })),
        build_env: orAbsent(fc.constantFrom([], [{ name: 'A', value: 'b' }])),
      },
      { requiredKeys: [] },
    ),
    source_revision_config: fc.record(
      {
        repo_ref: orAbsent(fc.constantFrom('main', 'develop', 'feature/x')),
        graph_config_path: orAbsent(fc.constantFrom('langgraph.json', 'a/langgraph.json')),
      },
      { requiredKeys: [] },
    ),
    // What cannot be masked is replaced when the sequence is run: only names that are there keep a value.
    secrets: orAbsent(
      fc.uniqueArray(
        fc.record({ name: fc.constantFrom(...names), value: fc.constantFrom(MASK, 'one', 'two') }),
        {
          selector: ({ name }) => name,
        },
      ),
    ),
    clear_secrets: orAbsent(fc.boolean()),
  },
  { requiredKeys: [] },
);
type Patch = typeof patches extends fc.Arbitrary<infer P> ? P : never;

const given = (value: unknown): boolean => value !== undefined && value !== null;

const textFields = [
  'repo_url',
  'install_command',
  'build_command',
  'custom_url',
  'root_directory',
  'start_command',
] as const;

const emptyClears = (before: object | null, asked: object | null | undefined): object | null =>
  !asked ? before : Object.keys(asked).length === 0 ? null : asked;

function merged(
  model: Model,
  { source_config: config = {}, source_revision_config: source = {}, secrets, clear_secrets: clears }: Patch,
): Model {
  const texts = { ...model.texts };
  for (const field of textFields) {
    const value = config[field];
    if (typeof value === 'string') texts[field] = value === '' ? null : value;
  }
  const spec = config.resource_spec;
  const namesSource =
    [
      config.repo_url,
      config.install_command,
      config.build_command,
      config.root_directory,
      source.repo_ref,
      source.graph_config_path,
    ].some(given) ||
    // An empty list where there is none says nothing.
    (config.build_env ?? []).length > 0 ||
    (given(config.build_env) && model.buildEnv !== null);
  const kept = (secrets ?? []).map(
    ({ name, value }) => [name, value === MASK ? (model.secrets.get(name) ?? '') : value] as const,
  );
  const next: Model = {
    texts,
    resourceSpec: emptyClears(model.resourceSpec, spec),
    healthCheck: emptyClears(model.healthCheck, config.health_check),
    buildEnv: emptyClears(model.buildEnv, config.build_env),
    pushes: config.build_on_push ?? model.pushes,
    drainSeconds: config.drain_seconds ?? model.drainSeconds,
    ref: source.repo_ref ?? model.ref,
    path: source.graph_config_path ?? model.path,
    secrets: clears || kept.length > 0 ? new Map(kept) : model.secrets,
    revisions: model.revisions,
  };
  const namesMore =
    [spec, config.start_command, config.health_check].some(given) ||
    kept.length > 0 ||
    (clears && model.secrets.size > 0);
  const revises = namesSource || (namesMore && !isDeepStrictEqual(listed(next), listed(model)));
  return { ...next, revisions: model.revisions + (revises ? 1 : 0) };
}

/** Secrets have an order, which sets and maps forget when they are compared. */
const listed = (model: Model) => ({ ...model, secrets: [...model.secrets] });

/** The patch without what is refused: a mask of nothing, and a list beside the wish to clear it. */
const maskable = ({ clear_secrets: clears, ...patch }: Patch, { secrets: stored }: Model): Patch =>
  !patch.secrets || patch.secrets.length === 0
    ? { ...patch, clear_secrets: clears }
    : {
        ...patch,
        secrets: patch.secrets.map(({ name, value }) => ({
          name,
          value: value === MASK && !stored.has(name) ? 'one' : value,
        })),
      };

async function expectLike({ deps, caller }: World, id: string, model: Model): Promise<void> {
  const world = { deps, caller };
  const shown = await show(world, id);
  expect(shown.source_config).toMatchObject({
    ...model.texts,
    resource_spec: model.resourceSpec,
    health_check: model.healthCheck,
    build_env: model.buildEnv,
    build_on_push: model.pushes,
    drain_seconds: model.drainSeconds,
  });
  expect(shown.source_revision_config).toMatchObject({ repo_ref: model.ref, graph_config_path: model.path });
  expect(shown.secrets).toEqual([...model.secrets.keys()].map((name) => ({ name, value: MASK })));
  const stored = await findDeployment(deps.table, caller.tenantId, id);
  const ref = { tenantId: caller.tenantId, deploymentId: id };
  const secrets = await openDeploymentSecrets(deps, ref, stored?.secrets);
  expect(secrets).toEqual([...model.secrets].map(([name, value]) => ({ name, value })));
  const runs = await getConfiguration(deps.table, ref, stored?.configuration ?? 0);
  expect(runs.resource_spec ?? null).toEqual(model.resourceSpec);
  const { resources } = await revisions(world, id, { limit: '1' });
  expect(resources[0]?.id).toBe(shown.latest_revision_id);
  expect(stored?.latest_number).toBe(model.revisions);
}

describe('any sequence of patches', () => {
  it('leaves what the rules of merging say, and what GET shows changes nothing when it is sent back', async () => {
    const world = await aWorld();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(patches, { minLength: 1, maxLength: 6 }), async (sequence) => {
        count += 1;
        // A listener each: a host is one deployment's there.
        const { id: listener_id } = await register(world, `machine-${count}`);
        const source_config = { repo_url: 'https://example.com/repo.git', listener_id };
        const { id, latest_revision_id } = await post(world, github(`d-${count}`, { source_config }));
        await interrupt(world, id, latest_revision_id);
        let model: Model = {
          texts: {
            repo_url: 'https://example.com/repo.git',
            install_command: null,
            build_command: null,
            custom_url: null,
            root_directory: null,
            start_command: null,
          },
          resourceSpec: null,
          healthCheck: null,
          buildEnv: null,
          pushes: null,
          drainSeconds: null,
          ref: 'main',
          path: 'langgraph.json',
          secrets: new Map(),
          revisions: 1,
        };
        for (const one of sequence) {
          const patch = maskable(one, model);
          model = merged(model, patch);
          await change(world, id, patch);
          await expectLike(world, id, model);
        }
        await change(world, id, await show(world, id));
        await expectLike(world, id, { ...model, revisions: model.revisions + 1 });
      }),
      { numRuns: 15 },
    );
  });
});
