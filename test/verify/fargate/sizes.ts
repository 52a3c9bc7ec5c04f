import { paginateDescribeScalableTargets } from '@aws-sdk/client-application-auto-scaling';
import { DescribeTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import type { FargateAgent } from '../../../lib/cli/first-agent/fargate-agent.ts';
import { expectApi, type Installation } from '../../support/programs/program.ts';
import { until } from '../../support/until.ts';
import type { Account } from '../account.ts';
import { change, deployFolder, serverIn } from '../deployments.ts';
import { all } from '../pages.ts';
import type { Run } from '../run.ts';
import type { Front } from './front.ts';
import { agentsNameOf, partsOf } from './parts.ts';

/** A stream has so long (seconds) to end after the time that it takes. */
const DRAIN_MORE_SECONDS = 60;
/** CloudWatch wants three minutes above the target, and a server then takes one to start. */
const SECOND_SERVER_TIMEOUT_MS = 15 * 60_000;
const BURN_SECONDS = 20;
/** Between two looks at who answers. */
const LOOK_MS = 1_000;

type Arguments = [run: Run, slipway: Installation, agent: FargateAgent, front: Front];

/** Lets the agent have a second server, and keeps the first one busy until it is there. */
export async function scaleToTwo(...[run, slipway, { id, url }, front]: Arguments): Promise<void> {
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
export async function runOnArm(...[run, slipway, { id, url }, front]: Arguments): Promise<void> {
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
