import { describe, expect, it } from 'vitest';
import type { BuildJob } from '../../../lib/adapters/builds.ts';
import { drive } from '../../../lib/app/compute/drive.ts';
import type { AgentFailure } from '../../../lib/domain/agent-failure.ts';
import { commandLine } from '../../support/programs/command-line.ts';
import { until } from '../../support/until.ts';
import { openWire } from '../../support/wire/wire.ts';
import { blobsIn } from '../../support/world/blobs.ts';
import { aDrivenWorld, type DrivenWorld, imageOf } from '../../support/world/driven-world.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';

/** The API of a world, at an address of its own. */
async function served(world: RunningWorld): Promise<string> {
  let url = '';
  const blobs = blobsIn(world.folder, () => url);
  world.deps.blobs = blobs;
  ({ url } = await openWire(world.deps, undefined, (request, response) => blobs.serve(request, response)));
  return url;
}

type Asking = Parameters<typeof commandLine>[1];

const firstAgent = ({ deps }: RunningWorld, url: string, more: Asking = {}) =>
  commandLine(['first-agent', '--compute', 'fargate', '--table', deps.table.name, '--url', url], {
    open: async () => ({ table: deps.table, close: () => undefined }),
    clock: deps.clock,
    ...more,
  });

/** An installation that runs agents itself, for whichever tenant. */
async function aFargateWorld(): Promise<DrivenWorld> {
  const world = await aDrivenWorld();
  world.deps.computeDriver = { wake: (place) => drive(world.driveDeps(), place) };
  return world;
}

/** Ends the first build with an image, and gives what it was asked for. */
async function builtAsImage({ deps: { builds } }: RunningWorld): Promise<BuildJob> {
  const [id, job] = await until(() => [...builds.jobs][0], { what: 'a build to be started' });
  await builds.become(id, { state: 'running' });
  const artifact = { kind: 'image', uri: imageOf('one'), platforms: job.platforms, server: 'other' } as const;
  await builds.become(id, { state: 'succeeded', artifact, commitSha: undefined });
  return job;
}

describe('first-agent --compute fargate', () => {
  it('goes from an empty installation to an agent that answers at its address, and ends', async () => {
    const world = await aFargateWorld();
    const asked: string[] = [];
    const running = firstAgent(world, await served(world), {
      ask: async (url) => ({ status: asked.push(url) === 1 ? 502 : 200 }),
    });
    const job = await builtAsImage(world);
    expect(job).toMatchObject({ output: 'image', platforms: ['linux/amd64'], source: { kind: 'tarball' } });
    const { code, out, err } = await running;
    expect({ code, out: out.split('\n').at(-1) }).toEqual({
      code: 0,
      out: 'It answers: https://agents.example.com/d/hello',
    });
    expect(asked).toEqual([1, 2].map(() => 'https://agents.example.com/d/hello/ok'));
    expect(out.match(/slp_\w{49}/g)).toHaveLength(1);
    expect(out.split('\n')).toContain('DEPLOYED');
    // Lines of the deploy log.
    expect(out).toMatch(/^ {2}Traffic moved to set /m);
    expect(err).toMatch(/shown this once/);
    expect(err).toContain(`/v2/deployments/${job.deploymentId}`);
    expect(err).not.toMatch(/slp_/);
  });

  it('says the reason of a revision that fails, and ends with 1', async () => {
    const world = await aFargateWorld();
    const failure: AgentFailure = { kind: 'exited', exitCode: 3, times: 2, output: ['no such module'] };
    world.compute.scripts.set(imageOf('one'), { failure });
    const running = firstAgent(world, await served(world));
    await builtAsImage(world);
    const { code, err } = await running;
    expect([code, err]).toEqual([1, expect.stringMatching(/^DEPLOY_FAILED: The server exits in a loop/)]);
  });

  it('gives up asking after a while, and says what was answered', async () => {
    const world = await aFargateWorld();
    const ask = async () => {
      world.advance(301);
      throw new Error('getaddrinfo ENOTFOUND');
    };
    const running = firstAgent(world, await served(world), { ask });
    await builtAsImage(world);
    const { code, err } = await running;
    expect(code).toBe(1);
    expect(err).toMatch(
      /deployed and healthy, but \S+\/ok answers nothing \(getaddrinfo ENOTFOUND\) after 300 s/,
    );
  });

  it('says how to deploy an installation that runs no agents itself', async () => {
    const world = await aRunningWorld();
    const { code, err } = await firstAgent(world, await served(world));
    expect(code).toBe(1);
    expect(err).toMatch(/deployed without compute=fargate.*npm run cdk -- deploy --all -c compute=fargate/);
  });
});
