import type { FeedEvent } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import { UsageError } from '../shell/ends.ts';
import { deploymentOf } from '../shell/names.ts';
import type { Shell } from '../shell/shell.ts';
import { statusCell } from '../shell/shown.ts';

const PAGE = 1000;

export const events = command({
  name: 'events',
  args: '',
  says: 'Print what happened in the tenant, oldest first, or follow it',
  more: 'Events are kept for 30 days. --after goes on behind one: its number is the first column.',
  examples: [
    'slipway events -f',
    'slipway events --deployment agent --json',
    'slipway events -f --after 1234',
  ],
  flags: {
    follow: { short: 'f', says: 'go on as they come, until Ctrl-C; without --after only what is new' },
    deployment: { short: 'd', value: 'D', says: 'only of this deployment' },
    after: { value: 'NUMBER', says: 'only what came after this event' },
  },
  async run(shell, given, _) {
    const { client, world } = shell;
    const { signal } = world;
    const deployment_id =
      given.deployment === undefined ? undefined : (await deploymentOf(shell, given.deployment)).id;
    const names = new Map<string, string>();
    for await (const { id, name } of client.list('GET /v2/deployments', {}, { signal })) names.set(id, name);
    const after = numberOf(given.after);
    if (given.follow === true) {
      const query = { deployment_id, after, ...(after === undefined && { newest: true }) };
      const onProblem = (problem?: Error) =>
        void (problem !== undefined && shell.output.say(problem.message, 'yellow'));
      for await (const event of client.follow('GET /v2/events', { query }, { signal, onProblem }))
        print(shell, event, names);
      return;
    }
    for (let last = after; ; ) {
      const query = { deployment_id, after: last, limit: PAGE };
      const page = await client.ask('GET /v2/events', { query }, { signal });
      if (page.missed > 0) shell.output.say(`${page.missed} events have expired.`, 'yellow');
      for (const event of page.resources) print(shell, event, names);
      if (page.resources.length < PAGE) return;
      last = page.after;
    }
  },
});

/** Throws `UsageError` for what is no number of an event. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--after is the number of an event, not '${text}'.`);
}

function print({ output }: Shell, event: FeedEvent, names: ReadonlyMap<string, string>): void {
  const about = 'deployment_id' in event ? (names.get(event.deployment_id) ?? event.deployment_id) : '';
  const state = 'status' in event && event.status !== undefined ? statusCell(event.status).text : '';
  const reason = 'reason' in event ? (event.reason ?? '') : '';
  const words = [event.number, event.at, event.type, about, state, reason];
  output.logLine(event, words.filter((word) => word !== '').join(' '));
}
