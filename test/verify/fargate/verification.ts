import { systemClock } from '../../../lib/adapters/clock.ts';
import { deployedTable } from '../../../lib/cli/deployed-table.ts';
import { type FargateAgent, fargateAgent } from '../../../lib/cli/first-agent/fargate-agent.ts';
import { prices } from '../../bench/prices.ts';
import { deploymentOf, type Installation } from '../../support/programs/program.ts';
import { say } from '../../support/run/progress.ts';
import { buildsOf, deployFolder, redeploy, remove, serverIn } from '../deployments.ts';
import type { Api, Environment } from '../environment.ts';
import { useProjects } from '../langgraph.ts';
import { count, countUnits, isWatched, type Run, useRepository } from '../run.ts';
import { streamAcrossSwitch } from '../switch.ts';
import { type Front, openFront } from './front.ts';
import { frontOf, untilAnswers, untilNothingIsLeft } from './serving.ts';
import { runOnArm, scaleToTwo } from './sizes.ts';

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
