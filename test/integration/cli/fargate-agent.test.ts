import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import type { BuildJob } from '../../../lib/adapters/builds.ts';
import { NO_AGENT } from '../../../lib/contract/agent-front.ts';
import type { AgentFailure } from '../../../lib/domain/agent-failure.ts';
import { drive } from '../../../lib/drive/drive.ts';
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
type Ask = NonNullable<Asking['ask']>;

const AGENTS_URL = 'https://agents.example.com';
const NOBODY = `${AGENTS_URL}/d/no-tenant/no-agent`;

/** Lambda, as it lists the functions of an installation: its driver knows where agents answer. */
function functionsOf(tableName: string, agentsUrl: string | undefined): LambdaClient {
  const client = new LambdaClient({ region: 'eu-west-1' });
  const others = {
    Environment: { Variables: { TABLE_NAME: 'another', AGENTS_URL: 'https://another.example' } },
  };
  const own = { TABLE_NAME: tableName, ...(agentsUrl !== undefined && { AGENTS_URL: agentsUrl }) };
  mockClient(client)
    .on(ListFunctionsCommand)
    .resolvesOnce({ Functions: [{}, others], NextMarker: 'more' })
    .resolves({ Functions: [{ Environment: { Variables: own } }] });
  return client;
}

const firstAgent = ({ deps }: RunningWorld, url: string, more: Asking = {}) =>
  commandLine(['first-agent', '--compute', 'fargate', '--table', deps.table.name, '--url', url], {
    open: async () => ({ table: deps.table, close: () => undefined }),
    functionsOf: () => functionsOf(deps.table.name, AGENTS_URL),
    clock: deps.clock,
    ...more,
  });

const nobody = { status: 404, body: NO_AGENT };

/** The balancer says that nobody is there; agents answer as `agent` does. */
const behindFront =
  (agent: Ask): Ask =>
  async (url) =>
    url === NOBODY ? nobody : agent(url);

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
      ask: async (url) =>
        asked.push(url) === 1 ? nobody : { status: asked.length === 2 ? 502 : 200, body: '' },
    });
    const job = await builtAsImage(world);
    expect(job).toMatchObject({ output: 'image', platforms: ['linux/amd64'], source: { kind: 'tarball' } });
    const { code, out, err } = await running;
    expect({ code, end: out.split('\n').slice(-2) }).toEqual({
      code: 0,
      end: [
        'It answers: https://agents.example.com/d/hello',
        expect.stringMatching(/^Agents are open to the internet: .*agentAllowedCidrs or agentWebAclArn/),
      ],
    });
    expect(asked).toEqual([NOBODY, ...[1, 2].map(() => 'https://agents.example.com/d/hello/ok')]);
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
    const running = firstAgent(world, await served(world), { ask: async () => nobody });
    await builtAsImage(world);
    const { code, err } = await running;
    expect([code, err]).toEqual([1, expect.stringMatching(/^DEPLOY_FAILED: The server exits in a loop/)]);
  });

  it('gives up asking after a while, and says what was answered', async () => {
    const world = await aFargateWorld();
    const ask = behindFront(async () => {
      world.advance(301);
      throw new Error('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND agents.example.com') });
    });
    const running = firstAgent(world, await served(world), { ask });
    await builtAsImage(world);
    const { code, err } = await running;
    expect(code).toBe(1);
    expect(err).toMatch(
      /deployed and healthy, but \S+\/ok has not answered 200 for 5 minutes. This network does not resolve agents.example.com/,
    );
  });

  it('says how to deploy an installation that runs no agents itself', async () => {
    const world = await aRunningWorld();
    const lambda = () => functionsOf(world.deps.table.name, undefined);
    const { code, out, err } = await firstAgent(world, await served(world), { functionsOf: lambda });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/deployed without compute=fargate.*npm run cdk -- deploy --all -c compute=fargate/);
  });

  it('finds out later where credentials may not ask which address agents have', async () => {
    const world = await aFargateWorld();
    const lambda = new LambdaClient({ region: 'eu-west-1' });
    const denied = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
    mockClient(lambda).on(ListFunctionsCommand).rejects(denied);
    const running = firstAgent(world, await served(world), {
      functionsOf: () => lambda,
      ask: async () => ({ status: 200, body: '' }),
    });
    await builtAsImage(world);
    const { code, out } = await running;
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('may not list functions') });
  });
});

describe('before anything is made, the front', () => {
  const page = '<HTML><TITLE>ERROR: The request could not be satisfied</TITLE></HTML>';
  const named = (name: string, message: string) => Object.assign(new Error(message), { name });
  const UNREACHED = /security groups.+prefix list.+CloudFront-VPCOrigins-Service-SG.+zones/;

  it.each<[string, Ask, RegExp]>([
    ['answers 504', async () => ({ status: 504, body: page }), UNREACHED],
    ['answers 502', async () => ({ status: 502, body: page }), UNREACHED],
    ['says nothing', async () => Promise.reject(named('TimeoutError', 'it took too long')), UNREACHED],
    [
      'is known by no name',
      async () => Promise.reject(new Error('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') })),
      /of the balancer for 10 minutes\. This network does not resolve agents\.example\.com/,
    ],
    [
      'finds no agent in words of another',
      async () => ({ status: 404, body: '{"detail":"Not Found"}' }),
      /It answers 404: \{"detail":"Not Found"\}/,
    ],
  ])('that %s is asked for ten minutes, then said to be in the way', async (_, answer, reason) => {
    const world = await aFargateWorld();
    let asked = 0;
    const ask: Ask = async (url) => {
      expect(url).toBe(NOBODY);
      world.advance(asked++ === 0 ? 1 : 600);
      return answer(url);
    };
    const { code, out, err } = await firstAgent(world, await served(world), { ask });
    expect(code).toBe(1);
    expect(err).toMatch(reason);
    expect(err.includes('resolve')).toBe(reason.source.includes('resolve'));
    expect(out).toMatch(/It answers .+; asking for 10 more minutes/);
    expect(out).not.toMatch(/slp_/);
    expect(world.deps.builds.jobs.size).toBe(0);
  });

  it('that keeps this machine out is asked once', async () => {
    const world = await aFargateWorld();
    const ask: Ask = async () => ({ status: 403, body: '{"detail":"Not from there."}' });
    const { code, err } = await firstAgent(world, await served(world), { ask });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/words of the balancer\. It answers 403.+kept out: by agentAllowedCidrs/),
    });
  });
});
