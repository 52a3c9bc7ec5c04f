import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createUploadUrl } from '../../../lib/features/uploads/create-upload-url.ts';
import { until } from '../../support/until.ts';
import { bytes } from '../../support/world/blobs.ts';
import {
  change,
  github,
  post,
  redeploy,
  refusedWith,
  register,
  revisions,
} from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import { reaches } from '../../support/world/steps.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const empty = { source: 'internal_source', source_config: {}, source_revision_config: {} } as const;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const advice = 'ask upload-url for a new one and upload the tarball to it.';

async function made(): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'machine');
  return { world, id: (await post(world, { name: 'a', ...empty })).id };
}

const ask = (world: World, id: string) =>
  createUploadUrl(world.deps, { params: { deployment_id: id } }, world.caller);
const name = (world: World, id: string, path: string) =>
  change(world, id, { source_revision_config: { source_tarball_path: path } });

describe('upload-url', () => {
  it('gives a new path and a signed address for it each time', async () => {
    const { world, id } = await made();
    const [one, two] = await Promise.all([ask(world, id), ask(world, id)]);
    expect(one.object_path).toMatch(
      new RegExp(`^pending/${world.caller.tenantId}/${id}/[0-9a-f-]{36}\\.tar\\.gz$`),
    );
    expect(new URL(one.upload_url).pathname).toBe(`/blobs/${one.object_path}`);
    expect(two.object_path).not.toBe(one.object_path);
  });

  it('is for deployments whose source is uploaded', async () => {
    const { world } = await made();
    const { id } = await post(world, github('b'));
    expect(await refusedWith(ask(world, id))).toBe(
      "400 Upload URLs are only available for 'internal_source' and 'internal_docker' source deployments",
    );
  });

  it('knows nothing of another tenant’s deployment', async () => {
    const { world, id } = await made();
    expect(await refusedWith(ask(world.as(), id))).toBe(`404 Deployment ID ${id} not found.`);
  });
});

describe('a tarball that a request names', () => {
  it('is the source of its revision, shown by its path', async () => {
    const { world, id } = await made();
    const path = await world.upload(id);
    expect((await name(world, id, path)).source_revision_config).toMatchObject({ source_tarball_path: path });
    expect((await revisions(world, id)).resources[0]).toMatchObject({
      status: 'QUEUED',
      source: 'internal_source',
    });
  });

  it('must be one that was handed out for this very deployment', async () => {
    const { world, id } = await made();
    const { id: other } = await post(world, { name: 'b', ...empty });
    const foreign = await world.upload(other);
    const own = await world.upload(id);
    const paths = [
      foreign,
      `${own}/../x.tar.gz`,
      `/${own}`,
      own.toUpperCase(),
      'pending/one.tar.gz',
      own.replace('pending/', 'pinned/'),
      '../../etc/passwd',
    ];
    for (const path of paths) {
      expect(await refusedWith(name(world, id, path))).toBe(
        `400 Source configuration error: 'source_tarball_path' '${path}' is not one that upload-url handed out for this deployment; ${advice}`,
      );
    }
    expect((await revisions(world, id)).resources).toHaveLength(1);
  });

  it('must have been uploaded', async () => {
    const { world, id } = await made();
    const { object_path: path } = await ask(world, id);
    expect(await refusedWith(name(world, id, path))).toBe(
      `400 Source configuration error: 'source_tarball_path' '${path}' names no object: nothing was uploaded to its URL, or more than a day ago; ${advice}`,
    );
  });

  it('must not be too large', async () => {
    const { world, id } = await made();
    const path = await world.upload(id);
    const { pin } = world.deps.blobs;
    // A file of 200 MiB would prove no more: the disk's own test reads a limit.
    world.deps.blobs = { ...world.deps.blobs, pin: (key, keptAs) => pin(key, keptAs, 3) };
    expect(await refusedWith(name(world, id, path))).toContain('is larger than 209715200 bytes');
  });

  it('may be sent back as it was shown, but not after it was written over', async () => {
    const { world, id } = await made();
    const path = await world.upload(id);
    const { source_config, source_revision_config } = await name(world, id, path);
    const again = await change(world, id, { source_config, source_revision_config });
    expect(again.source_revision_config.source_tarball_path).toBe(path);
    await world.blobs.put(path, bytes('another one'));
    expect(await refusedWith(name(world, id, path))).toContain('was written over after it had been used');
  });

  it('is the same one when it was put in place again, as a restored backup does', async () => {
    const { world, id } = await made();
    const path = await world.upload(id);
    await name(world, id, path);
    await world.blobs.put(path, world.blobs.read(path));
    const again = await name(world, id, path);
    expect(again.source_revision_config.source_tarball_path).toBe(path);
  });

  it('is there for its revisions when what was uploaded has expired', async () => {
    const { world, id } = await made();
    const path = await world.upload(id);
    await name(world, id, path);
    await world.blobs.delete(path);
    expect((await name(world, id, path)).source_revision_config.source_tarball_path).toBe(path);
    const [left, ...others] = await world.filesOf(id);
    expect([left, others]).toEqual([expect.stringContaining(`/pinned/`), []]);
  });

  it('is recorded once by requests that name it at the same time', async () => {
    const { world, id } = await made();
    const path = await world.upload(id);
    await Promise.all([1, 2, 3].map(() => name(world, id, path)));
    expect((await revisions(world, id)).resources.map(({ status }) => status)).toEqual([
      'QUEUED',
      'QUEUED',
      'QUEUED',
      'SKIPPED',
    ]);
  });

  it('is built as it was recorded, and built again from it when its artifact is gone', async () => {
    const world = await aRunningWorld();
    const { id } = await post(world, { name: 'a', ...empty });
    const params = { deployment_id: id };
    const { object_path: path } = await createUploadUrl(world.deps, { params }, world.caller);
    await world.blobs.put(path, bytes('first'));
    const { latest_revision_id: revisionId } = await change(world, id, {
      source_revision_config: { source_tarball_path: path },
    });
    await reaches(world, id, revisionId, 'AWAITING_BUILD');
    const job = await until(() => world.deps.builds.jobs.get(`build-${revisionId}`), {
      what: 'the build',
    });
    const key = `pinned/${world.caller.tenantId}/${id}/${sha256('first')}.tar.gz`;
    expect(job.source).toEqual({ kind: 'tarball', key, sha256: sha256('first') });
    await world.blobs.put(path, bytes('second'));
    expect((await world.blobs.read(key).toArray()).join('')).toBe('first');
    // As after a day.
    await world.blobs.delete(path);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'failed', message: 'It broke.' });
    await reaches(world, id, revisionId, 'BUILD_FAILED');
    const { latest_revision_id: again } = await redeploy(world, id, revisionId);
    const rebuilt = await until(() => world.deps.builds.jobs.get(`build-${again}`), {
      what: 'the build',
    });
    expect(rebuilt.source).toEqual(job.source);
  });
});
