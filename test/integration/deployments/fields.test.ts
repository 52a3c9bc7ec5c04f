import { describe, expect, it } from 'vitest';
import type { PlainField } from '../../../lib/contract/deployments/fields.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';
import { findDeployment, getConfiguration } from '../../../lib/core/items/deployments.ts';
import type { DeploymentConfig } from '../../../lib/core/items/items.ts';
import { createDeploymentBody } from '../../../lib/features/deployments/shape.ts';
import { change, github, post, register, revisions, show } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Row = {
  /** Two values that requests may give. */
  values: readonly [unknown, unknown];
  /** How many revisions naming it makes. */
  revisions: 0 | 1;
  /** What clears it; undefined: nothing does. */
  clearedBy: '' | object | null | undefined;
  /** Values that are refused. */
  refused: readonly unknown[];
  /** Only where images are built it means something. */
  ofImages?: true;
};

/**
 * Other tests change an integration, which has to be there, refuse to change the deployment's type, and have
 * build secrets, which are shown masked.
 */
type ConfigField = Exclude<keyof DeploymentConfig, 'integration_id' | 'deployment_type' | 'build_secrets'>;

/** Each field that a PATCH can change by itself: a new one does not compile until it stands here. */
const rows: Record<PlainField | `source_config.${ConfigField}`, Row> = {
  display_name: {
    values: ['  Kundendienst «Süd» \u{1f916}', 'Support'],
    revisions: 0,
    clearedBy: null,
    refused: ['', 'a'.repeat(257), 7],
  },
  tracked_packages: { values: [{ a: '1' }, ['b']], revisions: 0, clearedBy: undefined, refused: [1e-200] },
  'source_config.repo_url': {
    values: ['https://example.com/a.git', 'ssh://git@example.com/b.git'],
    revisions: 1,
    clearedBy: undefined,
    refused: ['', 'https://u:p@h/r', 7],
  },
  'source_config.build_on_push': {
    values: [true, false],
    revisions: 0,
    clearedBy: undefined,
    refused: ['true', 1],
  },
  'source_config.push_paths': {
    values: [['src/**'], ['lib/**', 'README.md']],
    revisions: 0,
    clearedBy: [],
    refused: ['src', ['/src']],
  },
  'source_config.custom_url': {
    values: ['https://a.example', 'http://b.example/c'],
    revisions: 0,
    clearedBy: '',
    refused: ['not an address', 7],
  },
  'source_config.drain_seconds': {
    values: [600, 0],
    revisions: 0,
    clearedBy: undefined,
    refused: [-1, 3601, 1.5, '60', true],
  },
  'source_config.resource_spec': {
    values: [{ cpu: 1, labels: { a: 'b' } }, { memory_mb: 256 }],
    revisions: 1,
    clearedBy: {},
    refused: [{ cpu: 'one' }, []],
  },
  'source_config.install_command': {
    values: ['make deps', 'true'],
    revisions: 1,
    clearedBy: '',
    refused: ['a;b', 7],
  },
  'source_config.build_command': {
    values: ['make', 'npm run build'],
    revisions: 1,
    clearedBy: '',
    refused: ['a|b', true],
  },
  'source_config.root_directory': {
    values: ['apps/agent', '.'],
    revisions: 1,
    clearedBy: '',
    refused: ['/apps', '../apps', 'apps/..', 'a\\b', 'a\nb', 'a'.repeat(2049), 7],
  },
  'source_config.dockerfile_path': {
    values: ['docker/Dockerfile', 'Dockerfile.prod'],
    revisions: 1,
    clearedBy: '',
    refused: ['/Dockerfile', '../Dockerfile', 'a\0b', 7],
    ofImages: true,
  },
  'source_config.docker_target': {
    values: ['production', '0'],
    revisions: 1,
    clearedBy: '',
    refused: ['--push', 'a b', 'a\n', 'a'.repeat(129), 7],
    ofImages: true,
  },
  'source_config.build_env': {
    values: [[{ name: 'NEXT_PUBLIC_URL', value: 'https://a.example' }], [{ name: 'A', value: '' }]],
    revisions: 1,
    clearedBy: [],
    refused: [
      ...['PATH', 'LD_PRELOAD', 'NODE_OPTIONS', 'PYTHONPATH', 'DOCKER_HOST', 'AWS_REGION', 'GIT_DIR'].map(
        (name) => [{ name, value: 'a' }],
      ),
      [{ name: 'SLIPWAY_X', value: 'a' }],
      [{ name: '', value: 'a' }],
      [{ name: '1A', value: 'a' }],
      [{ name: 'A=B', value: 'a' }],
      [{ name: 'a'.repeat(257), value: 'a' }],
      [{ name: 'A', value: 'a\0' }],
      [{ name: 'A' }],
      [{ name: 'A', value: 'a'.repeat(65_536) }],
      Array.from({ length: 201 }, (_, index) => ({ name: `A${index}`, value: '' })),
      [
        { name: 'A', value: 'a' },
        { name: 'A', value: 'b' },
      ],
      { A: 'a' },
    ],
  },
  'source_config.start_command': {
    values: ['gunicorn a:app --bind 0.0.0.0:$PORT', 'a'.repeat(2048)],
    revisions: 1,
    clearedBy: '',
    refused: ['a\nb', 'a\rb', 'a\0b', '  ', 'a'.repeat(2049), 7],
  },
  'source_config.health_check': {
    values: [{ path: '/health?deep=1' }, { path: '/', timeout_seconds: 1 }],
    revisions: 1,
    clearedBy: {},
    refused: [
      ...['health', '//a.example', '/\\a.example', 'https://a.example/', '', '/a b', '/%2', '/a#b'].map(
        (path) => ({
          path,
        }),
      ),
      { path: `/${'a'.repeat(1024)}` },
      { path: '/', timeout_seconds: 0 },
      { timeout_seconds: 3601 },
      { timeout_seconds: '60' },
      '/health',
    ],
  },
  'source_config.runtime': {
    values: ['auto', 'command'],
    revisions: 1,
    clearedBy: undefined,
    refused: ['', 'Dev', 'serverless', 7],
  },
  'source_config.on_release': {
    values: [{ waiting: 'refuse' }, { waiting: 'move', days: 7 }],
    revisions: 0,
    clearedBy: {},
    refused: [{ waiting: 'drop' }, { days: 0 }, { days: 366 }, { days: 1.5 }, 'warn'],
  },
};

const memberOf = (value: unknown, name: string): unknown =>
  Object.entries(value ?? {}).find(([key]) => key === name)?.[1];

describe.each(Object.entries(rows))('%s', (path, { values, clearedBy, refused, ...row }) => {
  const [first, second] = values;
  const [name, inside] = path.split('.') as [string, string | undefined];
  const patch = (value: unknown) => ({ [name]: inside === undefined ? value : { [inside]: value } });
  const creation = (value: unknown) => {
    const { source_config, ...body } = { ...github('a'), ...patch(value) };
    return { ...body, source_config: { ...github('a').source_config, ...source_config } };
  };
  const created = async (value: unknown): Promise<{ world: World; id: string }> => {
    const world = await aWorld();
    const compute_config = { k8s_namespaces: ['one'] };
    await register(world, 'here', row.ofImages ? { compute_type: 'k8s', compute_config } : {});
    return { world, id: (await post(world, creation(value))).id };
  };
  const shown = async (world: World, id: string): Promise<unknown> =>
    path.split('.').reduce<unknown>(memberOf, await show(world, id));

  it(`is kept until another value is sent, which makes ${row.revisions} revision(s)`, async () => {
    const { world, id } = await created(first);
    expect(await shown(world, id)).toEqual(first);
    const same = clearedBy === null ? [undefined] : [undefined, null];
    for (const value of same) await change(world, id, patch(value));
    expect(await shown(world, id)).toEqual(first);
    expect((await revisions(world, id)).resources).toHaveLength(1);
    const before = await show(world, id);
    const after = await change(world, id, patch(second));
    expect(await show(world, id)).toEqual(after);
    expect(await shown(world, id)).toEqual(second);
    expect(after.config_version).toBe(before.config_version + 1);
    const { resources } = await revisions(world, id);
    expect(resources).toHaveLength(1 + row.revisions);
    expect(after.latest_revision_id).toBe(resources[0]?.id);
  });

  it.each(clearedBy === undefined ? [] : [{ empty: clearedBy }])(
    'is cleared by $empty',
    async ({ empty }) => {
      const { world, id } = await created(first);
      await change(world, id, patch(empty));
      expect(await shown(world, id)).toBeNull();
      const { tenantId } = world.caller;
      const stored = await findDeployment(world.deps.table, tenantId, id);
      const ref = { tenantId, deploymentId: id };
      const runs = await getConfiguration(world.deps.table, ref, stored?.configuration ?? 0);
      expect(runs).not.toHaveProperty(inside ?? name);
    },
  );

  it.each(refused.map((value) => ({ value })))('is not $value', ({ value }) => {
    const { items = [] } = parsePart('body', createDeploymentBody, creation(value));
    const parts = path.split('.').length + 1;
    expect(items.map(({ loc }) => loc.slice(0, parts).join('.'))).toContain(`body.${path}`);
  });
});
