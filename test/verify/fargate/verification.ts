import { systemClock } from '../../../lib/adapters/clock.ts';
import { agentsUrlOf } from '../../../lib/cli/agents-url.ts';
import { deployedTable } from '../../../lib/cli/deployed-table.ts';
import { type FargateAgent, fargateAgent } from '../../../lib/cli/first-agent/fargate-agent.ts';
import { untilFrontAnswers } from '../../../lib/cli/first-agent/front.ts';
import { prices } from '../../bench/prices.ts';
import { deploymentOf, type Installation } from '../../support/programs/program.ts';
import { say } from '../../support/run/progress.ts';
import { until } from '../../support/until.ts';
import { buildsOf, deployFolder, exampleIn, redeploy, remove } from '../deployments.ts';
import type { Api, Environment } from '../environment.ts';
import type { Report } from '../report.ts';
import { type Front, openFront } from './front.ts';
import { partsOf } from './parts.ts';

/** A change of a rule takes the balancer some seconds. */
const SERVES_TIMEOUT_MS = 2 * 60_000;
/** Servers end, then what they were made of goes. */
const REMOVAL_TIMEOUT_MS = 15 * 60_000;

type Using = { environment: Environment; report: Report };

/**
 * Deploys to Fargate as a user does, from the first command to the deletion. `meanwhile` is done while an
 * agent runs.
 */
export async function useFargate(
  { environment, report }: Using,
  api: Api,
  meanwhile: (slipway: Installation) => Promise<void>,
): Promise<void> {
  const front = await openFront(environment, report);
  try {
    const agentsUrl = await report.step('the front answers, where no agent is', async () => {
      const url = await agentsUrlOf(environment.account.clients.functions, api.tableName);
      if (url === undefined) throw new Error('No function of the stack knows where agents answer');
      await untilFrontAnswers(systemClock, url, front.hear, say);
      return url;
    });
    const agent = await report.step('a first agent, of a folder, on Fargate', async () => {
      const made = await firstAgent(environment, { ...api, agentsUrl }, front);
      await untilAnswers(front, made, 'v1');
      return made;
    });
    const { id, apiKey, tenantId } = agent;
    const slipway = { baseUrl: api.baseUrl, apiKey, tenantId };
    const { active_revision_id: first } = await deploymentOf(slipway, id);
    if (first === null) throw new Error('The deployment serves, and has no active revision');
    await report.step('change it', async () => {
      await deployFolder(slipway, id, await exampleIn(environment, 'v2'));
      await untilAnswers(front, agent, 'v2');
    });
    await report.step('roll back, without a build', async () => {
      const builds = await buildsOf(environment);
      await redeploy(slipway, id, first);
      await untilAnswers(front, agent, 'v1');
      const more = (await buildsOf(environment)) - builds;
      if (more !== 0) throw new Error(`The way back took ${more} builds`);
    });
    await meanwhile(slipway);
    await report.step('delete the agent, and all that it had', async () => {
      await remove(slipway, id, (url) => front.ask(url));
      await untilNothingIsLeft(environment);
    });
  } finally {
    await front.close();
  }
}

async function firstAgent(
  environment: Environment,
  api: Api & { agentsUrl: string },
  { hear }: Front,
): Promise<FargateAgent> {
  const { table, close } = deployedTable(api.tableName, environment.account.region);
  const wish = {
    url: api.baseUrl,
    organization: 'verify',
    tenant: 'main',
    project: await exampleIn(environment, 'v1'),
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

async function untilAnswers({ ask }: Front, { url }: FargateAgent, version: string): Promise<void> {
  let last = '';
  const isServed = async () => {
    last = await ask(`${url}/`).then((answer) => answer.text(), String);
    return last.includes(`"version":"${version}"`);
  };
  const what = () => `${version} to answer at ${url}, which said ${last}`;
  await until(isServed, { timeoutMs: SERVES_TIMEOUT_MS, what });
}

async function untilNothingIsLeft({ account, name }: Environment): Promise<void> {
  let left: string[] = [];
  const isGone = async () => {
    left = Object.values(await partsOf(account, name)).flat();
    return left.length === 0;
  };
  await until(isGone, { timeoutMs: REMOVAL_TIMEOUT_MS, what: () => `these to go: ${left.join(', ')}` });
}

/** hello-server asks for no size. */
const SERVER = { cpu: 0.5, memoryGb: 1 };
const MONTH_HOURS = 730;
/** One revision replaces another. */
const SERVERS_MAX = 2;

/** What Fargate costs at most in a run of so many hours, in words. */
export function fargateCost(hours: number): string {
  const server =
    SERVER.cpu * prices.serverCpuHour + SERVER.memoryGb * prices.serverGbHour + prices.addressHour;
  const dollars = hours * (prices.balancerHour + SERVERS_MAX * (server + prices.secretMonth / MONTH_HOURS));
  return `Fargate: ${(hours * 60).toFixed(0)} minutes of the balancer and of at most ${SERVERS_MAX} servers, at most $${dollars.toFixed(4)}`;
}
