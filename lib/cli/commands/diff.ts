import { numberOf } from '../../client/revision.ts';
import { command } from '../shell/command.ts';
import { changesOf, configurationOf, differenceLines } from '../shell/difference.ts';
import { deploymentOf, revisionOf } from '../shell/names.ts';

export const diff = command({
  name: 'diff',
  args: 'A B',
  says: 'Show in what two revisions differ: source, configuration, names of secrets',
  examples: ['slipway diff 3 5 --deployment agent', 'slipway diff active latest'],
  flags: { deployment: { short: 'd', value: 'D', says: "the deployment (default: the folder's)" } },
  async run(shell, given, [a = '', b = '']) {
    const deployment = await deploymentOf(shell, given.deployment);
    const [from, to] = await Promise.all([
      revisionOf(shell, deployment, a),
      revisionOf(shell, deployment, b),
    ]);
    const [before, after] = await Promise.all([
      configurationOf(shell, deployment, from.id),
      configurationOf(shell, deployment, to.id),
    ]);
    const changes = changesOf(before, after);
    const json = { from: numberOf(from.id), to: numberOf(to.id), changes };
    shell.output.result(json, differenceLines(shell.output, before, after));
    if (changes.length === 0 && !shell.output.isJson) shell.output.say('They do not differ.');
  },
});
