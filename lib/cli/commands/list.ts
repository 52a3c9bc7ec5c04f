import type { ListedDeployment } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import type { Output } from '../shell/output.ts';
import { revisionText, statusCell, timeCell } from '../shell/shown.ts';

const statuses = ['READY', 'UNUSED', 'UNKNOWN', 'AWAITING_DELETE'] as const;

export const list = command({
  name: 'list',
  args: '',
  says: 'List deployments',
  examples: ['slipway list', 'slipway list --status READY --json'],
  flags: { status: { value: 'STATUS', says: 'only those', among: statuses } },
  async run({ client, output, world }, { status }) {
    const wanted = statuses.filter((each) => each === status);
    const query = { include: ['latest_revision' as const], ...(wanted.length > 0 && { status: wanted }) };
    const found: ListedDeployment[] = [];
    for await (const one of client.list('GET /v2/deployments', { query }, { signal: world.signal }))
      found.push(one);
    const rows = found.map((one) => rowOf(one, world.now(), output));
    const heading = ['NAME', 'STATUS', 'LATEST REVISION', 'UPDATED', 'ADDRESS'];
    output.result(found, found.length === 0 ? [] : output.table(heading, rows));
    if (found.length === 0 && !output.isJson)
      output.say('There are no deployments: slipway deploy makes one.');
  },
});

const rowOf = (
  { name, status, latest_revision: latest, updated_at: at, url }: ListedDeployment,
  now: number,
  output: Output,
) => [
  name,
  statusCell(status),
  latest === null ? '' : { text: revisionText(latest), style: statusCell(latest.status).style },
  timeCell(at, now, output.isForPeople),
  url ?? '',
];
