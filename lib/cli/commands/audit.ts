import type { Ask, Listed } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import { UsageError } from '../shell/ends.ts';
import { deploymentOf } from '../shell/names.ts';
import { timeCell } from '../shell/shown.ts';
import { timeOf } from '../shell/times.ts';

const COUNT = 50;
const COUNT_MAX = 10_000;

type Query = NonNullable<Ask<'GET /v2/audit-events'>['query']>;

export const audit = command({
  name: 'audit',
  args: '',
  says: 'Print who did what in the tenant, newest first',
  examples: [
    'slipway audit --since 1d',
    'slipway audit --deployment agent --action deployment.change --json',
  ],
  flags: {
    action: { value: 'ACTION', says: 'only this, as deployment.change or api_key.create' },
    user: { value: 'USER', says: 'only by this user' },
    deployment: { short: 'd', value: 'D', says: 'only about this deployment' },
    since: { value: 'TIME', says: 'from then on: 2h, 7d, or a time as 2026-11-26T10:00:00Z' },
    lines: { short: 'n', value: 'N', says: `so many at most (default: ${COUNT}; with --since: all)` },
  },
  async run(shell, given) {
    const { client, output, world } = shell;
    const max = countOf(given.lines, given.since === undefined ? COUNT : COUNT_MAX);
    const query: Query = {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service names those that it knows
      action: given.action as Query['action'],
      user_id: given.user,
      since: given.since === undefined ? undefined : timeOf('since', given.since, world.now(), -1),
      deployment_id:
        given.deployment === undefined ? undefined : (await deploymentOf(shell, given.deployment)).id,
    };
    const found: Listed<'GET /v2/audit-events'>[] = [];
    for await (const event of client.list('GET /v2/audit-events', { query }, { signal: world.signal })) {
      if (found.length === max) break;
      found.push(event);
    }
    const rows = found.map((event) => [
      timeCell(event.at, world.now(), output.isForPeople),
      event.action,
      event.user_id ?? 'nobody known',
      [event.resource_type, event.resource_id].filter((part) => part !== null).join(' '),
      event.count === 1 ? '' : `${event.count} times`,
    ]);
    const heading = ['AT', 'ACTION', 'BY', 'ABOUT', 'NOTE'];
    output.result(found, rows.length === 0 ? [] : output.table(heading, rows));
  },
});

function countOf(given: string | undefined, otherwise: number): number {
  const count = given === undefined ? otherwise : Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count;
  throw new UsageError(`--lines is a number from 1 to ${COUNT_MAX}, not '${given}'.`);
}
