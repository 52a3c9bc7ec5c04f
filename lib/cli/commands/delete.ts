import type { Deployment } from '../../client/endpoints.ts';
import { Refusal } from '../../client/refusal.ts';
import { pause } from '../../client/request.ts';
import { command } from '../shell/command.ts';
import { Ended, exits } from '../shell/ends.ts';
import { timeoutSecondsOf, waitFlags } from '../shell/finish.ts';
import { deploymentOf } from '../shell/names.ts';
import type { Shell } from '../shell/shell.ts';

const POLL_MILLISECONDS = 500;
const NOT_FOUND = 404;

export const remove = command({
  name: 'delete',
  args: 'D',
  says: 'Delete a deployment, and what runs of it',
  more: 'It asks for the name once more; -y says that it is meant. Its name is free again once nothing of it runs.',
  examples: ['slipway delete agent', 'slipway delete agent -y --data'],
  flags: {
    yes: { short: 'y', says: 'ask nothing' },
    data: { says: 'keep no dump of its database' },
    ...waitFlags,
  },
  async run(shell, given, [wanted]) {
    const timeoutSeconds = timeoutSecondsOf(given);
    const deployment = await deploymentOf(shell, wanted);
    const { id, name, status, url } = deployment;
    const serves = status === 'READY' && url !== null ? `, which answers at ${url}` : '';
    await shell.confirmName(`This deletes ${name}${serves}.`, name, given.yes);
    const query = given.data === true ? { delete_data: true } : {};
    await shell.client.ask(
      'DELETE /v2/deployments/{deployment_id}',
      { params: { deployment_id: id }, query },
      { signal: shell.world.signal },
    );
    const isGone = given['no-wait'] !== true;
    if (isGone) await untilGone(shell, deployment, timeoutSeconds);
    shell.output.result({ id, name, deleted: isGone }, [
      `${name} ${isGone ? 'is deleted' : 'is being deleted'}`,
    ]);
  },
});

async function untilGone({ client, output, world }: Shell, { id, name }: Deployment, timeoutSeconds: number) {
  const end = world.now() + timeoutSeconds * 1_000;
  output.progress(`${name}: being deleted`);
  for (; ; await pause(POLL_MILLISECONDS, world.signal)) {
    try {
      await client.ask(
        'GET /v2/deployments/{deployment_id}',
        { params: { deployment_id: id } },
        { signal: world.signal },
      );
    } catch (error) {
      if (error instanceof Refusal && error.status === NOT_FOUND) return;
      throw error;
    }
    if (world.now() > end)
      throw new Ended(
        `${name} is not gone after ${timeoutSeconds} s: its listener has not ended what runs.`,
        exits.timedOut,
      );
  }
}
