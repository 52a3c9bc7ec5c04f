import { numberOf } from '../../client/revision.ts';
import { command } from '../shell/command.ts';
import { Ended } from '../shell/ends.ts';
import { deploymentOf, revisionInProgress, revisionOf } from '../shell/names.ts';

export const interrupt = command({
  name: 'interrupt',
  args: '[D]',
  says: 'Stop the revision that is in progress; what serves goes on',
  examples: ['slipway interrupt agent', 'slipway interrupt agent --revision 7 --reason "wrong branch"'],
  flags: {
    revision: { value: 'REVISION', says: 'this one (default: the one that has its turn)' },
    reason: { value: 'TEXT', says: 'why; it is audited' },
  },
  async run(shell, { revision, reason }, [name]) {
    const deployment = await deploymentOf(shell, name);
    const found =
      revision === undefined
        ? await revisionInProgress(shell, deployment)
        : await revisionOf(shell, deployment, revision);
    if (found === undefined) throw new Ended(`Nothing of ${deployment.name} is in progress.`);
    const answer = await shell.client.ask(
      'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
      {
        params: { deployment_id: deployment.id, revision_id: found.id },
        body: reason === undefined ? {} : { reason },
      },
      { signal: shell.world.signal },
    );
    const done = answer.status === 'INTERRUPTED' ? 'interrupted' : 'is being interrupted';
    shell.output.result(answer, [`${deployment.name}: revision ${numberOf(found.id)} ${done}`]);
  },
});
