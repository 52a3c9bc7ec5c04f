import { paginateDescribeScalableTargets } from '@aws-sdk/client-application-auto-scaling';
import { DescribeTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import { systemClock } from '../../../lib/adapters/clock.ts';
import { deployedTable } from '../../../lib/cli/deployed-table.ts';
import { type FargateAgent, fargateAgent } from '../../../lib/cli/first-agent/fargate-agent.ts';
import { prices } from '../../bench/prices.ts';
import { deploymentOf, expectApi, type Installation } from '../../support/programs/program.ts';
import { say } from '../../support/run/progress.ts';
import { until } from '../../support/until.ts';
import type { Account } from '../account.ts';
import { buildsOf, change, deployFolder, redeploy, remove, serverIn } from '../deployments.ts';
import type { Api, Environment } from '../environment.ts';
import { useProjects } from '../langgraph.ts';
import { all } from '../pages.ts';
import { count, countUnits, isWatched, type Run, useRepository } from '../run.ts';
import { streamAcrossSwitch } from '../switch.ts';
import { type Front, openFront } from './front.ts';
import { agentsNameOf, partsOf } from './parts.ts';
import { frontOf, untilAnswers, untilNothingIsLeft } from './serving.ts';

/** A stream has so long (seconds) to end after the time that it takes. */
const DRAIN_MORE_SECONDS = 60;
/** CloudWatch wants three minutes above the target, and a server then takes one to start. */
const SECOND_SERVER_TIMEOUT_MS = 15 * 60_000;
const BURN_SECONDS = 20;
/** Between two looks at who answers. */
const LOOK_MS = 1_000;

type Arguments = [run: Run, slipway: Installation, agent: FargateAgent, front: Front];

/** Lets the agent have a second server, and keeps the first one busy until it is there. */
async function scaleToTwo(...[run, slipway, { id, url }, front]: Arguments): Promise<void> {
  const { environment, report, stream } = run;
  const { account, name } = environment;
  await report.step('let it have a second server (max_scale 2)', async () => {
    const resource_spec = { min_scale: 1, max_scale: 2 };
    const drain_seconds = stream.seconds + DRAIN_MORE_SECONDS;
    await change(slipway, id, { source_config: { resource_spec, drain_seconds } });
    const isScaled = async () => (await limitsOf(account, name)).includes('1 to 2');
    await until(isScaled, { what: 'Application Auto Scaling to know that it may have 1 to 2 servers' });
  });
  if (account.isEmulated) {
    report.notSee('that load starts a second server: an emulator measures none');
    return;
  }
  await report.step('load starts a second server', async () => {
    const hosts = new Set<unknown>();
    const areTwo = async () => {
      await front.ask(`${url}/burn?seconds=${BURN_SECONDS}`).then((answer) => answer.text());
      const { host } = (await (await front.ask(`${url}/`)).json()) as { host: unknown }; // see server.js
      return hosts.add(host).size > 1;
    };
    await until(areTwo, { timeoutMs: SECOND_SERVER_TIMEOUT_MS, firstMs: LOOK_MS, what: 'a second server' });
  });
}

/** How many servers each service of the environment may have, as `1 to 2`. */
async function limitsOf({ clients: { scaling: client } }: Account, name: string): Promise<string[]> {
  const pages = paginateDescribeScalableTargets({ client }, { ServiceNamespace: 'ecs' });
  const targets = await all(pages, (page) => page.ScalableTargets);
  return targets
    .filter(({ ResourceId }) => ResourceId?.startsWith(`service/${agentsNameOf(name)}/`))
    .map(({ MinCapacity, MaxCapacity }) => `${MinCapacity} to ${MaxCapacity}`);
}

type Listener = { id: string; compute_type: string; compute_config: object };

/** Moves agents to arm64, builds the agent for that, and sees that its server runs there. */
async function runOnArm(...[run, slipway, { id, url }, front]: Arguments): Promise<void> {
  const { environment, report } = run;
  const { account, name } = environment;
  await report.step('build and run it for linux/arm64', async () => {
    const { resources } = await expectApi<{ resources: Listener[] }>(
      slipway,
      'GET',
      '/v2/listeners',
      undefined,
      200,
    );
    const own = resources.find(({ compute_type }) => compute_type === 'ecs');
    if (own === undefined) throw new Error('The tenant has no listener of the installation');
    const compute_config = { ...own.compute_config, platforms: ['linux/arm64'] };
    await expectApi(slipway, 'PATCH', `/v2/listeners/${own.id}`, { compute_config }, 200);
    await deployFolder(slipway, id, await serverIn(environment, 'arm'));
    const architectures = await architecturesOf(account, name);
    if (!architectures.includes('ARM64'))
      throw new Error(`Servers are defined for ${architectures.join(', ')}`);
    const { version, arch } = await untilSaid(front, url, 'arm');
    if (!account.isEmulated && arch !== 'arm64') throw new Error(`Version ${version} runs on ${arch}`);
  });
  if (account.isEmulated) report.notSee('a server on arm64: an emulator starts it on this machine');
}

async function architecturesOf(account: Account, name: string): Promise<(string | undefined)[]> {
  const { taskDefinitions } = await partsOf(account, name);
  return Promise.all(
    taskDefinitions.map(async (taskDefinition) => {
      const asked = new DescribeTaskDefinitionCommand({ taskDefinition });
      const { taskDefinition: found } = await account.clients.ecs.send(asked);
      return found?.runtimePlatform?.cpuArchitecture;
    }),
  );
}

type Said = { version: string; arch: string };

async function untilSaid({ ask }: Front, url: string, version: string): Promise<Said> {
  return until(
    async () => {
      const said = await ask(`${url}/`).then(async (answer) => (await answer.json()) as Said); // see server.js
      return said.version === version && said;
    },
    { what: `${version} to answer at ${url}` },
  );
}

/**
 * Uses an installation that runs agents itself as its users do, from the first command to the deletion of all
 * agents. Throws at the first step that fails.
 */
export async function useFargate(run: Run, api: Api): Promise<void> {
  const { environment, report } = run;
  report.notSee('that what was kept works on beside an application made anew: without --compute it is seen');
  const front = await openFront(environment, report);
  try {
    const agentsUrl = await report.step('the front answers, where no agent is', () =>
      frontOf(environment, api, front),
    );
    const agent = await report.step('a first agent, of a folder, on Fargate', async () => {
      const made = await firstAgent(environment, { ...api, agentsUrl }, front);
      await untilAnswers(front, made, 'v1');
      return made;
    });
    const slipway = { baseUrl: api.baseUrl, apiKey: agent.apiKey, tenantId: agent.tenantId };
    await changeIt(run, slipway, agent, front);
    await isWatched(run, slipway);
    await useMore(run, slipway, agent, front);
    await report.step('delete the agent, and all that it had', async () => {
      await remove(slipway, agent.id, (url) => front.ask(url));
      await untilNothingIsLeft(environment);
    });
    await count(run);
    await countUnits(run, api.tableName);
  } finally {
    await front.close();
  }
}

/** Another revision, room for a second server, and a way back under a stream. */
async function changeIt(run: Run, slipway: Installation, agent: FargateAgent, front: Front): Promise<void> {
  const { environment, report, stream } = run;
  const { id, url } = agent;
  const { active_revision_id: first } = await deploymentOf(slipway, id);
  if (first === null) throw new Error('The deployment serves, and has no active revision');
  await report.step('change it', async () => {
    await deployFolder(slipway, id, await serverIn(environment, 'v2'));
    await untilAnswers(front, agent, 'v2');
  });
  await scaleToTwo(run, slipway, agent, front);
  await report.step(`roll back, without a build, under a stream of ${stream.seconds} s`, async () => {
    const builds = await buildsOf(environment);
    const goBack = async () => {
      await redeploy(slipway, id, first);
      await untilAnswers(front, agent, 'v1');
    };
    const { requests } = await streamAcrossSwitch(front.ask, url, stream, goBack);
    report.remark(`${requests} requests while one revision replaced another: 0 failed`);
    const more = (await buildsOf(environment)) - builds;
    if (more !== 0) throw new Error(`The way back took ${more} builds`);
  });
}

/** Another platform, and agent projects, which need stores and a licence here. */
async function useMore(run: Run, slipway: Installation, agent: FargateAgent, front: Front): Promise<void> {
  const { report, secrets } = run;
  if (secrets.length === 0)
    report.notSee('langgraph.json projects on Fargate: they need stores and a licence (--secrets FILE)');
  else await useProjects(report, slipway, { reach: front.ask, secrets });
  await useRepository(run, slipway, { reach: front.ask, secrets });
  await runOnArm(run, slipway, agent, front);
}

/** Goes from nothing to an agent as the README's command does. */
export async function firstAgent(
  environment: Environment,
  api: Api & { agentsUrl: string },
  { hear }: Front,
): Promise<FargateAgent> {
  const { table, close } = deployedTable(api.tableName, environment.account.region);
  const wish = {
    url: api.baseUrl,
    organization: 'verify',
    tenant: 'main',
    project: await serverIn(environment, 'v1'),
    name: 'hello',
    agentsUrl: api.agentsUrl,
  };
  try {
    return await fargateAgent({ table, clock: systemClock }, wish, hear, (line) => say(unkeyed(line)));
  } finally {
    close();
  }
}

/** The environment goes, and its key with it; a log may stay. */
const unkeyed = (line: string): string => line.replace(/slp_\w+/, 'slp_…');

/** Servers that ask for no size. */
const SERVER = { cpu: 0.5, memoryGb: 1 };
const MONTH_HOURS = 730;
/** Two servers of a set, while two others are replaced. */
const SERVERS_MAX = 4;
/** The installation, and later that of an earlier release, each with a balancer. */
const BALANCERS_MAX = 2;

/** What Fargate costs at most in a run of so many hours, in words. */
export function fargateCost(hours: number): string {
  const server =
    SERVER.cpu * prices.serverCpuHour + SERVER.memoryGb * prices.serverGbHour + prices.addressHour;
  const dollars =
    hours * (BALANCERS_MAX * prices.balancerHour + SERVERS_MAX * (server + prices.secretMonth / MONTH_HOURS));
  return `Fargate: ${(hours * 60).toFixed(0)} minutes of at most ${BALANCERS_MAX} balancers and ${SERVERS_MAX} servers, at most $${dollars.toFixed(4)}`;
}
