import type { LogEntry } from '../../client/endpoints.ts';
import { isEmptyFirst, numberOf } from '../../client/revision.ts';
import { command } from '../shell/command.ts';
import { linesThatMatter, logOf } from '../shell/follow.ts';
import { deploymentOf, getRevision } from '../shell/names.ts';
import { plain } from '../shell/output.ts';
import { statusCell } from '../shell/shown.ts';

export const why = command({
  name: 'why',
  args: '[D]',
  says: 'Tell why a deployment is as it is: status, reason, the lines that matter',
  examples: ['slipway why agent', 'slipway why agent --json'],
  flags: {},
  async run(shell, _, [wanted]) {
    const deployment = await deploymentOf(shell, wanted);
    const { name, status, active_revision_id: active } = deployment;
    const latest = await getRevision(shell, deployment, deployment.latest_revision_id);
    const isEmpty = isEmptyFirst(latest);
    const ids = { deployment_id: deployment.id, revision_id: latest.id };
    const lines = isEmpty ? [] : await linesThatMatter(shell, ids, latest.status);
    const number = numberOf(latest.id);
    const reason = isEmpty ? 'Nothing was uploaded yet: slipway deploy' : latest.status_message;
    const { output } = shell;
    const facts = output.facts([
      ['Deployment', `${name}, ${statusCell(status).text}`],
      ['Serves', active === null ? 'nothing' : `revision ${numberOf(active)}`],
      [
        'Newest',
        isEmpty
          ? null
          : {
              text: `revision ${number}, ${statusCell(latest.status).text}`,
              style: statusCell(latest.status).style,
            },
      ],
      ['Reason', reason],
      ['Log', lines.length === 0 ? null : `of the ${logOf(latest.status)}, the last lines that matter:`],
    ]);
    const json = {
      name,
      status,
      revision: number,
      revision_id: latest.id,
      revision_status: latest.status,
      reason,
    };
    output.result({ ...json, lines: lines.map(shownLine) }, [
      ...facts,
      ...lines.map((line) => `  ${plain(line.message)}`),
    ]);
  },
});

const shownLine = ({ level, message, timestamp }: LogEntry) => ({
  at: new Date(timestamp).toISOString(),
  level,
  message,
});
