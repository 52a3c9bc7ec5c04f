import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../../app/deps.ts';
import { Obstacle } from '../explain.ts';
import { NoListener } from './client.ts';
import { enter, type FirstAgentWish } from './first-agent.ts';

/** Asks an address as anybody would. */
export type Ask = (url: string) => Promise<{ status: number }>;

export type FargateAgent = { id: string; url: string; apiKey: string; tenantId: string };

/** A front that was deployed a moment ago is not known everywhere yet. */
const ANSWER_MILLISECONDS = 300_000;
const ASK_AGAIN_MILLISECONDS = 2_000;

const NOT_MANAGED =
  'This installation runs no agents itself: it was deployed without compute=fargate. Deploy it again with the settings that it has and this one: npm run cdk -- deploy --all -c compute=fargate. Then run this command again; or leave out --compute, and this machine runs the agent.';

/**
 * From an empty installation that runs agents itself to one that answers at its own address: the first
 * organization, tenant and key, and a folder that is built as an image. Throws `Obstacle` with what went
 * wrong; what was made until then stays.
 */
export async function fargateAgent(
  deps: Pick<Deps, 'table' | 'clock'>,
  wish: FirstAgentWish,
  ask: Ask,
  say: (line: string) => void,
): Promise<FargateAgent> {
  const { content, client, apiKey, tenantId } = await enter(deps, wish, say);
  const { name, project } = wish;
  const id = await client.makeDeployment(name).catch((error: unknown) => {
    throw error instanceof NoListener ? new Obstacle(NOT_MANAGED) : error;
  });
  await client.deployTarball(id, content);
  say(`Deploying ${project} as ${name}, ${id}`);
  const url = await client.follow(id, say, ['build_logs', 'deploy_logs']);
  if (url === null) throw new Obstacle(`Deployment ${id} has no address. Redeploy its revision.`);
  say(`Asking ${url}/ok until it answers`);
  await untilAnswers(deps, `${url}/ok`, ask);
  return { id, url, apiKey, tenantId };
}

async function untilAnswers({ clock }: Pick<Deps, 'clock'>, url: string, ask: Ask): Promise<void> {
  const endsAt = clock.now() + ANSWER_MILLISECONDS;
  for (;;) {
    const said = await ask(url).then(
      ({ status }) => String(status),
      (error: unknown) => `nothing (${error instanceof Error ? error.message : String(error)})`,
    );
    if (said === '200') return;
    if (clock.now() >= endsAt)
      throw new Obstacle(
        `The agent is deployed and healthy, but ${url} answers ${said} after ${ANSWER_MILLISECONDS / 1000} s. Is the distribution enabled, and does this network resolve its name?`,
      );
    await delay(ASK_AGAIN_MILLISECONDS);
  }
}
