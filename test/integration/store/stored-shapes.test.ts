import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { offerTask } from '../../../lib/core/engine/deploys.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { completeTask } from '../../../lib/features/listener-protocol/complete.ts';
import { bootstrap } from '../../../lib/features/tenants/bootstrap.ts';
import { exportedSchemas } from '../../support/table/stored-schemas.ts';
import { COMMIT, ended, inProgress } from '../../support/world/processed.ts';
import { change, github, post, postRevision, register, remove } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

/**
 * What was ever stored, by `entity@v`, in lines of one shape each. A line is never changed: a stored item of
 * that version may lie in any table. A change of shape raises `v`, upgrades the old one on read, and adds a
 * line. Only a list of names may gain one at its end in the line that is there: all that is stored is of the
 * longer list too, and an earlier release can read no item with the new name under any version.
 */
const recordFile = new URL('stored-shapes.json', import.meta.url);
type Shape = { properties?: Record<string, { const?: unknown }>; oneOf?: Shape[] };
const shapeSchema = z
  .custom<Shape>((shape) => typeof shape === 'object' && shape !== null)
  .refine(({ properties, oneOf }) => properties !== undefined || oneOf !== undefined);

const record = async (): Promise<Record<string, unknown>> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(recordFile, 'utf8')));

/** The properties of a shape, or of all the shapes that it may have. */
const propertiesOf = ({ properties = {}, oneOf = [] }: Shape): NonNullable<Shape['properties']> =>
  Object.assign({}, properties, ...oneOf.map(propertiesOf));

/** The shape of every schema that describes a whole item, by `entity@v`. */
async function declaredShapes(): Promise<Map<string, Shape>> {
  const shapes = new Map<string, Shape>();
  for (const schema of await exportedSchemas()) {
    if (!(schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion)) continue;
    // Through JSON, as the record is read: no prototypes, nothing undefined.
    const shape: Shape = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' })));
    const { entity, v } = propertiesOf(shape);
    if (entity !== undefined) shapes.set(`${String(entity.const)}@${String(v?.const)}`, shape);
  }
  return shapes;
}

/** A line of the record. */
const lineOf = (key: string, shape: unknown): string => `"${key}": ${JSON.stringify(shape)}`;

const fileOf = (shapes: Record<string, unknown>): string =>
  `{\n${Object.entries(shapes)
    .map(([key, shape]) => lineOf(key, shape))
    .sort()
    .join(',\n')}\n}\n`;

/** Records the shapes of versions that are not recorded yet. What is recorded stays as it is. */
async function addMissing(): Promise<void> {
  const missing = Object.fromEntries(await declaredShapes());
  await writeFile(recordFile, fileOf({ ...missing, ...(await record()) }));
}

const advice = (key: string, shape: unknown): string =>
  `The stored shape ${key} is not the recorded one. Raise its version and upgrade the old one on read, then run this test with UPDATE_SHAPES=1, which adds the line (or, if only a list of names has gained one, write its line again):\n${lineOf(key, shape)}`;

describe('the shape of each stored item', () => {
  beforeAll(async () => {
    if (process.env.UPDATE_SHAPES !== undefined) await addMissing();
  });

  it('is recorded in a line of its own, in order', async () => {
    expect(await readFile(recordFile, 'utf8')).toBe(fileOf(await record()));
  });

  it('is the recorded one of its version', async () => {
    const recorded = await record();
    const declared = await declaredShapes();
    expect(declared.size).toBeGreaterThan(12);
    const changed = [...declared].filter(([key, shape]) => !isDeepStrictEqual(recorded[key], shape));
    expect(changed.map(([key, shape]) => advice(key, shape))).toEqual([]);
  });
});

/** A life that stores each kind of item. */
async function busyTable(): Promise<World> {
  const world = await aWorld();
  await bootstrap(world.deps, { organization: 'acme', tenant: 'main' });
  const listener = await register(world, 'machine', { is_default: true, version: '1' });
  const agent = { agent_id: 'x', environment: 'y' };
  const secrets = [{ name: 'A', value: 'b' }];
  const uploaded = await post(world, {
    name: 'u',
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
  });
  await change(world, uploaded.id, {
    source_revision_config: { source_tarball_path: await world.upload(uploaded.id) },
  });
  await remove(world, (await post(world, github('deleted'))).id);
  const { id } = await post(world, github('a', { agent, secrets, tracked_packages: ['p'] }));
  await change(world, id, { source_config: { custom_url: 'https://a.example' } });
  await ended(world, id, 'DEPLOYED', { outcome: { image_version: 'v1' } });
  for (let n = 0; n < 2; n++) await postRevision(world, id);
  const artifact = { kind: 'image', uri: 'registry.example.com/app:1' } as const;
  await inProgress(world, id, 'AWAITING_DEPLOY', { artifact, commit: COMMIT });
  const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId: id });
  if (loaded === undefined) throw new Error('no deployment');
  await offerTask(world.deps, loaded);
  const params = { listener_id: listener.id };
  const body = { instance_id: 'one', max: 1, holding: [], wait_seconds: 0 };
  const [task] = (await claimTasks(world.deps, { params, body }, world.caller)).tasks;
  const done = { lease_id: task?.lease_id ?? '', outcome: 'failed', previous_serving: true } as const;
  await completeTask(
    world.deps,
    { params: { ...params, task_id: task?.task_id ?? '' }, body: done },
    world.caller,
  );
  return world;
}

describe('what is stored', () => {
  it('has no attribute that its recorded shape does not have', async () => {
    const world = await busyTable();
    const recorded = await record();
    const stored = await allItems(world.deps.table);
    const keys = new Set(['pk', 'sk', 'due_pk', 'due_at', 'ttl', 'audit', 'ring']);
    for (const item of stored) {
      const key = `${String(item.entity)}@${String(item.v)}`;
      // What is written and never read has no schema, only its attributes.
      const shape = z
        .union([z.object({ attributes: z.array(z.string()) }), shapeSchema])
        .parse(recorded[key], { error: () => advice(key, { attributes: Object.keys(item) }) });
      const known = 'attributes' in shape ? shape.attributes : Object.keys(propertiesOf(shape));
      const unknown = Object.keys(item).filter((name) => !keys.has(name) && !known.includes(name));
      expect([key, unknown]).toEqual([key, []]);
    }
    const seen = new Set(stored.map((item) => String(item.entity)));
    expect([...seen].sort()).toEqual([
      'agent',
      'api_key',
      'api_key_row',
      'compute_id',
      'configuration',
      'default_listener',
      'deletion',
      'deployment',
      'deployment_row',
      'done_task',
      'host_claim',
      'last_seen',
      'listener',
      'listener_presence',
      'name',
      'organization',
      'placement',
      'placement_version',
      'resource_count',
      'revision',
      'revision_ends',
      'secrets',
      'tenant',
      'tenant_row',
      'upload',
    ]);
  });

  it('keeps the list rows thin', async () => {
    const world = await busyTable();
    const stored = await allItems(world.deps.table);
    const sizes = (entity: string) =>
      stored.filter((item) => item.entity === entity).map((item) => JSON.stringify(item).length);
    expect(Math.max(...sizes('deployment_row'))).toBeLessThan(400);
    expect(Math.max(...sizes('revision'))).toBeLessThan(1500);
    expect(Math.max(...sizes('deployment'))).toBeLessThan(4096);
  });
});
