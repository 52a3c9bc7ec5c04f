import { describe, expect, it } from 'vitest';
import { createDeploymentBody } from '../../../lib/contract/deployments/requests.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';
import type { DeploymentConfig } from '../../../lib/store/engine/items.ts';
import { change, github, post, register, revisions, show } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Row = {
  /** Two values that requests may give. */
  values: readonly [unknown, unknown];
  /** How many revisions naming it makes. */
  revisions: 0 | 1;
  /** What clears it; null: nothing does. */
  clearedBy: '' | object | null;
  /** Values that are refused. */
  refused: readonly unknown[];
};

/**
 * Each field of source_config that a PATCH can change: a new one does not compile until it stands here. Other
 * tests change an integration, which has to be there, and refuse to change the deployment's type.
 */
const rows: Record<keyof Omit<DeploymentConfig, 'integration_id' | 'deployment_type'>, Row> = {
  repo_url: {
    values: ['https://example.com/a.git', 'ssh://git@example.com/b.git'],
    revisions: 1,
    clearedBy: null,
    refused: ['', 'https://u:p@h/r', 7],
  },
  build_on_push: { values: [true, false], revisions: 0, clearedBy: null, refused: ['true', 1] },
  push_paths: {
    values: [['src/**'], ['lib/**', 'README.md']],
    revisions: 0,
    clearedBy: [],
    refused: ['src', ['/src']],
  },
  custom_url: {
    values: ['https://a.example', 'http://b.example/c'],
    revisions: 0,
    clearedBy: '',
    refused: ['not an address', 7],
  },
  drain_seconds: { values: [600, 0], revisions: 0, clearedBy: null, refused: [-1, 3601, 1.5, '60', true] },
  resource_spec: {
    values: [{ cpu: 1, labels: { a: 'b' } }, { memory_mb: 256 }],
    revisions: 1,
    clearedBy: {},
    refused: [{ cpu: 'one' }, []],
  },
  install_command: { values: ['make deps', 'true'], revisions: 1, clearedBy: '', refused: ['a;b', 7] },
  build_command: { values: ['make', 'npm run build'], revisions: 1, clearedBy: '', refused: ['a|b', true] },
};

/** A deployment whose source_config has these fields beside its repository. */
async function deployment(config: object): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'machine');
  const source_config = { ...github('a').source_config, ...config };
  return { world, id: (await post(world, github('a', { source_config }))).id };
}

describe.each(Object.entries(rows))('source_config.%s', (field, { values, clearedBy, refused, ...row }) => {
  const [first, second] = values;
  const patch = (value: unknown) => ({ source_config: { [field]: value } });
  const shown = async (world: World, id: string): Promise<unknown> =>
    Object.entries((await show(world, id)).source_config).find(([name]) => name === field)?.[1];

  it(`is kept until another value is sent, which makes ${row.revisions} revision(s)`, async () => {
    const { world, id } = await deployment({ [field]: first });
    expect(await shown(world, id)).toEqual(first);
    for (const same of [null, undefined]) await change(world, id, patch(same));
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

  it.each(clearedBy === null ? [] : [{ empty: clearedBy }])('is cleared by $empty', async ({ empty }) => {
    const { world, id } = await deployment({ [field]: first });
    await change(world, id, patch(empty));
    expect(await shown(world, id)).toBeNull();
  });

  it.each(refused.map((value) => ({ value })))('is not $value', ({ value }) => {
    const body = { ...github('a'), source_config: { [field]: value } };
    const { items = [] } = parsePart('body', createDeploymentBody, body);
    expect(items.map(({ loc }) => loc.slice(0, 3).join('.'))).toContain(`body.source_config.${field}`);
  });
});
