import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentsUrlOf } from '../../lib/cli/agents-url.ts';
import { Cdk } from '../support/aws/cdk.ts';
import { RELEASE_ENVIRONMENT, unpackRelease } from '../support/aws/earlier-release.ts';
import type { Installation } from '../support/programs/program.ts';
import { awsVariables } from './account.ts';
import { addressOf, deployFolder, makeDeployment, remove, serverIn } from './deployments.ts';
import {
  type Api,
  bootstrap,
  type Environment,
  enter,
  listen,
  openEnvironment,
  reach,
} from './environment.ts';
import { type Front, openFront } from './fargate/front.ts';
import { frontOf, untilAnswers, untilNothingIsLeft } from './fargate/serving.ts';
import { stacksOf } from './leftovers.ts';
import { count, type Run } from './run.ts';
import { asking, expectNoneFailed } from './switch.ts';

/**
 * Deploys the release before, with a deployment, upgrades it without a flag, and sees that what ran runs on
 * and can be changed. Its templates know one environment only. Throws at the first step that fails.
 */
export async function upgrade(run: Run): Promise<void> {
  const { environment: first, report, compute } = run;
  const { account } = first;
  const there = await stacksOf(account, RELEASE_ENVIRONMENT);
  if (there.length > 0)
    throw new Error(
      `There is an environment ${RELEASE_ENVIRONMENT} already. Is another run under way? Else npm run verify:aws -- --clean ${RELEASE_ENVIRONMENT} removes it.`,
    );
  // Where it is cleaned up from: what was synthesised is not synthesised again for that.
  const folder = join(dirname(first.folder), RELEASE_ENVIRONMENT);
  await mkdir(folder);
  // Without `compute`: what an installation is, it remembers.
  const environment = openEnvironment(account, RELEASE_ENVIRONMENT, folder);
  run.upgraded = environment;
  const api = await report.step('deploy the release before', () => deployRelease(environment, compute));
  try {
    if (compute === 'fargate') await upgradeFargate(run, environment, api);
    else await upgradeMachine(run, environment, api);
    await count(run, environment);
  } finally {
    await api.close();
  }
}

async function deployRelease(environment: Environment, compute: Run['compute']): Promise<Api> {
  const { account, processes, folder } = environment;
  const variant = compute === 'fargate' ? 'fargate-destroy' : 'plain-destroy';
  const release = new Cdk(processes, {
    context: { environment: RELEASE_ENVIRONMENT },
    account: account.id,
    region: account.region,
    variables: { ...awsVariables(), AWS_REGION: account.region },
    outputFolder: await unpackRelease(join(folder, 'release'), variant),
  });
  return reach(await release.deploySynthesised());
}

const AGAIN = 'upgrade it without a flag, while its deployment is asked';

async function upgradeMachine({ report }: Run, environment: Environment, api: Api): Promise<void> {
  const slipway = await report.step('a deployment on it', () => enter(environment, api));
  const listener = await listen(environment, slipway);
  try {
    const id = await makeDeployment(slipway, 'upgraded');
    await report.step('build a tarball with the release before', async () =>
      deployFolder(slipway, id, await serverIn(environment, 'v1')),
    );
    const url = await addressOf(slipway, id);
    await report.step(AGAIN, async () =>
      expectNoneFailed(await asking(fetch, `${url}/`, () => upgradeNow(environment))),
    );
    await report.step('change what it deployed, and delete it', async () => {
      await deployFolder(slipway, id, await serverIn(environment, 'v2'));
      await remove(slipway, id);
    });
  } finally {
    await listener.stop();
  }
}

/** In place; the API keeps its address. */
async function upgradeNow(environment: Environment): Promise<void> {
  const again = await reach(await environment.cdk.deploy());
  await again.close();
}

async function upgradeFargate({ report }: Run, environment: Environment, api: Api): Promise<void> {
  const slipway = await bootstrap(environment, api);
  const front = await openFront(environment, report);
  try {
    const id = await makeDeployment(slipway, 'upgraded');
    await report.step('an agent on it', async () =>
      deployFolder(slipway, id, await serverIn(environment, 'v1')),
    );
    const agent = { url: await addressOf(slipway, id) };
    await report.step(AGAIN, () => upgradeUnderRequests(environment, api, front, agent.url));
    await report.step('it answers, at the same address', async () => {
      const url = await frontOf(environment, api, front);
      if (!agent.url.startsWith(`${url}/`))
        throw new Error(`Agents answer at ${url} now, not at ${agent.url}`);
      await untilAnswers(front, agent, 'v1');
    });
    await report.step('change what it deployed, and delete it', () =>
      changeAndDelete(environment, slipway, { id, ...agent }, front),
    );
  } finally {
    await front.close();
  }
}

/** The release before was not reached by CloudFront everywhere: then there is nothing to interrupt. */
async function upgradeUnderRequests(
  environment: Environment,
  { tableName }: Api,
  front: Front,
  url: string,
): Promise<void> {
  const before = await agentsUrlOf(environment.account.clients.functions, tableName);
  const { status } = await front.hear(`${url}/ok`).catch(() => ({ status: 0 }));
  if (status === 200) expectNoneFailed(await asking(front.ask, `${url}/`, () => upgradeNow(environment)));
  else await upgradeNow(environment);
  const after = await agentsUrlOf(environment.account.clients.functions, tableName);
  if (after === undefined || after !== before)
    throw new Error(`Agents answered at ${before} before the upgrade, and answer at ${after} after it`);
}

async function changeAndDelete(
  environment: Environment,
  slipway: Installation,
  agent: { id: string; url: string },
  front: Front,
): Promise<void> {
  await deployFolder(slipway, agent.id, await serverIn(environment, 'v2'));
  await untilAnswers(front, agent, 'v2');
  await remove(slipway, agent.id, (url) => front.ask(url));
  await untilNothingIsLeft(environment);
}
