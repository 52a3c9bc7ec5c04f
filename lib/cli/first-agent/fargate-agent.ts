import { Refusal } from '../../client/refusal.ts';
import { errors } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import { Obstacle } from '../explain.ts';
import { deployTarball, followNewest, makeDeployment } from './client.ts';
import { enter, type FirstAgentWish } from './first-agent.ts';
import { type Ask, untilAgentAnswers, untilFrontAnswers } from './front.ts';

export type FargateAgent = { id: string; url: string; apiKey: string; tenantId: string };

/** The API has nowhere to run a deployment: no listener, of anybody. */
const NO_LISTENER = errors.listener_required.detail({ why: '' });

/** What first-agent says, here and where it finds no driver. */
export const NOT_MANAGED =
  'This installation runs no agents itself: it was deployed without compute=fargate. Deploy it again with the settings that it has and this one: npm run cdk -- deploy --all -c compute=fargate. Then run this command again; or leave out --compute, and this machine runs the agent.';

/**
 * From an empty installation that runs agents itself to one that answers at its own address: the first
 * organization, tenant and key, and a folder that is built as an image. `agentsUrl`, if it is known, is where
 * all agents answer: before anything is made it has to say that there is none. Throws `Obstacle` with what
 * went wrong; what was made until then stays.
 */
export async function fargateAgent(
  deps: Pick<Deps, 'table' | 'clock'>,
  wish: FirstAgentWish & { agentsUrl: string | undefined },
  ask: Ask,
  say: (line: string) => void,
): Promise<FargateAgent> {
  const { name, project, agentsUrl } = wish;
  if (agentsUrl !== undefined) await untilFrontAnswers(deps.clock, agentsUrl, ask, say);
  const { content, client, apiKey, tenantId } = await enter(deps, wish, say);
  const id = await makeDeployment(client, name).catch((error: unknown) => {
    throw error instanceof Refusal && error.detail.startsWith(NO_LISTENER)
      ? new Obstacle(NOT_MANAGED)
      : error;
  });
  await deployTarball(client, id, content);
  say(`Deploying ${project} as ${name}, ${id}`);
  const url = await followNewest(client, id, say, ['build', 'deploy']);
  if (url === null) throw new Obstacle(`Deployment ${id} has no address. Redeploy its revision.`);
  say(`Asking ${url}/ok until it answers`);
  await untilAgentAnswers(deps.clock, `${url}/ok`, ask, say);
  return { id, url, apiKey, tenantId };
}
