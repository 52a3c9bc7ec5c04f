import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { buildIdOf } from '../../../lib/compute/process/durable.ts';
import { OutputTail } from '../../../lib/compute/process/output-tail.ts';
import { PinnedBuilds } from '../../../lib/compute/process/pinned-builds.ts';
import { targetAt } from '../../../lib/compute/process/proxy-process.ts';
import type { Server } from '../../../lib/compute/process/server.ts';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import type { GroupExit } from '../../../lib/processes/group.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { plainSpec } from '../../support/world/deploy-spec.ts';

type Kept = { server: Server; end: () => void };

/** Builds of a deployment whose servers are pretended; all say the same of what is wanted. */
class World {
  readonly runs = new Map<string, number>();
  readonly servers = new Map<string, Kept>();
  readonly forgotten: string[] = [];
  /** What was asked to be ended. */
  readonly ended: unknown[] = [];
  looks = 0;
  serving: string | undefined;
  readonly #deploymentId = randomUUID();
  readonly #tenantId = randomUUID();
  readonly #port: number;
  readonly pinned: PinnedBuilds;

  static async start(): Promise<World> {
    const folder = await temporaryFolder();
    let world: World | undefined;
    const http = createServer(async (request, response) =>
      response.end(request.url === '/internal/expire' ? world?.expire(await text(request)) : world?.demand()),
    );
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const address = http.address();
    world = new World(folder, typeof address === 'object' ? (address?.port ?? 0) : 0);
    onTestFinished(async () => {
      await world.pinned.close();
      http.close();
    });
    return world;
  }

  private constructor(folder: string, port: number) {
    this.#port = port;
    this.pinned = new PinnedBuilds({
      folder,
      serving: () => this.serving,
      start: async (spec) => this.#start(spec),
      stop: async ({ revisionId }) => this.servers.get(revisionId)?.end(),
      forget: async (revisionId) => void this.forgotten.push(revisionId),
      say: () => undefined,
      changed: () => undefined,
    });
  }

  demand(): string {
    this.looks += 1;
    const rest = { pending: 0, scheduled: 0, calls: 0 };
    const builds = [...this.runs].map(([build_id, running]) => ({ build_id, running, ...rest }));
    return JSON.stringify({ builds, revisions: [] });
  }

  expire(body: string): string {
    const asked = z.object({ build_id: z.string() }).loose().parse(JSON.parse(body));
    this.ended.push(asked);
    this.runs.delete(asked.build_id);
    return JSON.stringify({ expired: [{ revision_id: randomUUID(), threads: 1 }] });
  }

  newSpec(): DeploySpec {
    const own = { deployment_id: this.#deploymentId, deployment_name: 'agent', tenant_id: this.#tenantId };
    const artifact = { kind: 'folder', url: '', sha256: randomUUID() } as const;
    const environment = [{ name: 'KEY', value: 'old' }];
    return { ...plainSpec({ ...own, revision_id: randomUUID(), artifact }), environment };
  }

  /** A server of the revision is up; it does not serve yet. */
  bringUp(spec: DeploySpec): Server {
    const server = this.#start(spec);
    this.pinned.note(spec, server);
    return server;
  }

  /** A build that was replaced, with so many runs. */
  async replaced(runs: number): Promise<DeploySpec> {
    const spec = this.newSpec();
    this.runs.set(buildIdOf(spec), runs);
    this.bringUp(spec);
    this.servers.get(spec.revision_id)?.end();
    return spec;
  }

  serve(spec: DeploySpec): void {
    this.serving = spec.revision_id;
  }

  /** What serves has ended by itself, and is to be started again. */
  crash(spec: DeploySpec): void {
    this.serving = undefined;
    this.servers.get(spec.revision_id)?.end();
  }

  isUp = ({ revision_id }: DeploySpec): boolean => this.servers.has(revision_id);

  async lookedAgain(times: number): Promise<void> {
    const enough = this.looks + times;
    await until(() => this.looks >= enough, { what: `${times} more looks at what is wanted` });
  }

  #start({ revision_id: revisionId }: DeploySpec): Server {
    const { promise: exited, resolve } = Promise.withResolvers<GroupExit>();
    const server: Server = {
      group: { pid: undefined, startTime: undefined, marker: '', stdin: null, exit: undefined, exited },
      target: targetAt({ host: '127.0.0.1', port: this.#port }),
      revisionId,
      readyAt: Date.now(),
      tail: new OutputTail(),
      savesOnStop: false,
      handsBackOnStop: true,
      internalToken: 'token',
      pathPrefix: '',
      hasOwnAuth: false,
      isTrial: false,
    };
    const end = () => {
      this.servers.delete(revisionId);
      resolve({ code: 0, signal: null });
    };
    this.servers.set(revisionId, { server, end });
    return server;
  }
}

describe('builds beside the one that serves', () => {
  test('one that is just being deployed is not forgotten, though nothing is wanted of it', async () => {
    const world = await World.start();
    const [first, second] = [world.newSpec(), world.newSpec()];
    world.bringUp(first);
    world.serve(first);
    world.bringUp(second);
    await world.lookedAgain(2);
    expect(world.forgotten).toEqual([]);
    // It serves, is replaced, and a run of it is still there.
    expect(world.pinned.needs(second.revision_id)).toBe(true);
  });

  test('one that nobody wants is forgotten once its server has gone', async () => {
    const world = await World.start();
    const old = await world.replaced(0);
    world.runs.delete(buildIdOf(old));
    const serving = world.newSpec();
    world.bringUp(serving);
    world.serve(serving);
    await until(() => world.forgotten.length > 0, { what: 'the build to be forgotten' });
    expect(world.forgotten).toEqual([old.revision_id]);
    expect(world.pinned.needs(old.revision_id)).toBe(false);
  });

  test('two are started again at once, and one that has nothing more to do makes room for the next', async () => {
    const world = await World.start();
    const wanted = [await world.replaced(1), await world.replaced(1), await world.replaced(1)];
    const serving = world.newSpec();
    world.bringUp(serving);
    world.serve(serving);
    await until(() => wanted.filter(world.isUp).length === 2, { what: 'two builds to be started again' });
    await world.lookedAgain(1);
    const [last, ...others] = wanted.filter((spec) => !world.isUp(spec));
    expect(others).toEqual([]);
    const [done] = wanted.filter(world.isUp);
    if (last === undefined || done === undefined) throw new Error('none is up');
    world.runs.set(buildIdOf(done), 0);
    await until(() => world.isUp(last), { what: 'the third to be started' });
    await until(() => !world.isUp(done), { what: 'the one without work to be stopped' });
  });

  test('one that has nothing to do is stopped at once when its variables have other values', async () => {
    const world = await World.start();
    const old = await world.replaced(1);
    const serving = world.newSpec();
    world.bringUp(serving);
    world.serve(serving);
    await until(() => world.isUp(old), { what: 'the build to be started again' });
    world.runs.set(buildIdOf(old), 0);
    await world.lookedAgain(2);
    expect(world.isUp(old)).toBe(true);
    const rotated = { ...serving, revision_id: randomUUID(), environment: [{ name: 'KEY', value: 'new' }] };
    world.bringUp(rotated);
    world.serve(rotated);
    await until(() => !world.isUp(old), { what: 'it to be stopped' });
  });

  test('what is wanted of one that is not there any more ends, and is told', async () => {
    const world = await World.start();
    const serving = world.newSpec();
    world.bringUp(serving);
    world.serve(serving);
    world.runs.set('gone', 1);
    world.pinned.lookSoon();
    await world.lookedAgain(1);
    expect(world.ended).toEqual([]);
    world.pinned.lookSoon();
    await until(() => world.ended.length > 0, { what: 'its runs to be ended' });
    expect(world.ended).toEqual([
      { build_id: 'gone', reason: 'is not on this machine any more', runs: true },
    ]);
    await until(() => world.pinned.threads.told.expired, { what: 'the report' });
    expect(world.pinned.threads.told.expired).toMatchObject([{ threads: 1 }]);
  });

  test('one is started again while what serves crashes, if any server is there to be asked', async () => {
    const world = await World.start();
    const [busy, wanted] = [await world.replaced(1), await world.replaced(0)];
    const serving = world.newSpec();
    world.bringUp(serving);
    world.serve(serving);
    await until(() => world.isUp(busy), { what: 'the first build to be started again' });
    world.crash(serving);
    world.runs.set('gone', 1);
    world.runs.set(buildIdOf(wanted), 1);
    await until(() => world.isUp(wanted), { what: 'the second to be started again' });
    await world.lookedAgain(2);
    // That is for a server of the build that serves.
    expect(world.ended).toEqual([]);
    expect(world.forgotten).toEqual([]);
    world.runs.set(buildIdOf(busy), 0);
    await world.lookedAgain(2);
    expect(world.isUp(busy)).toBe(true);
  });

  test('one that is replaced while none serves goes on with its runs', async () => {
    const world = await World.start();
    const spec = world.newSpec();
    const server = world.bringUp(spec);
    expect(world.pinned.take(server)).toBe(true);
  });
});
