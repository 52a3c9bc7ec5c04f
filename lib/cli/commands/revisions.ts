import { isEmptyFirst, numberOf } from '../../client/revision.ts';
import { command } from '../shell/command.ts';
import { UsageError } from '../shell/ends.ts';
import { deploymentOf, revisionsFrom } from '../shell/names.ts';
import { sourceText, statusCell, timeCell } from '../shell/shown.ts';

const LIMIT = 20;
const LIMIT_MAX = 100;

export const revisions = command({
  name: 'revisions',
  args: '[D]',
  says: 'List the revisions of a deployment, newest first',
  examples: ['slipway revisions agent', 'slipway revisions --limit 5 --json'],
  flags: { limit: { value: 'N', says: `how many at most (default: ${LIMIT}, at most ${LIMIT_MAX})` } },
  async run(shell, { limit = String(LIMIT) }, [name]) {
    const count = Number(limit);
    if (!Number.isInteger(count) || count < 1 || count > LIMIT_MAX)
      throw new UsageError(`--limit is a number from 1 to ${LIMIT_MAX}, not '${limit}'.`);
    const deployment = await deploymentOf(shell, name);
    const found = await revisionsFrom(shell, deployment, 0, count);
    // An upload begins with a revision that has nothing to build yet, which tells people nothing.
    const shown = found.filter((each) => !isEmptyFirst(each));
    const rows = shown.map((each) => [
      String(numberOf(each.id)),
      statusCell(each.status),
      sourceText(each.source, each.source_revision_config),
      timeCell(each.created_at, shell.world.now(), shell.output.isForPeople),
      each.id === deployment.active_revision_id
        ? 'serves'
        : (each.status_message ?? each.commit?.message ?? ''),
    ]);
    shell.output.result(shown, shell.output.table(['REVISION', 'STATUS', 'FROM', 'CREATED', 'NOTE'], rows));
  },
});
