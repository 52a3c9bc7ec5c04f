import type { Ask } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import { UsageError } from '../shell/ends.ts';
import { durationText, timeCell } from '../shell/shown.ts';
import { thingCommands, thingOf } from '../shell/things.ts';
import { timeOf } from '../shell/times.ts';
import { listeners } from './listeners.ts';

const roles = [
  'viewer',
  'developer',
  'admin',
  'organization_admin',
  'listener',
] as const satisfies readonly Ask<'POST /v2/api-keys'>['body']['role'][];

const [list, revoke] = thingCommands({
  noun: 'keys',
  one: 'key',
  rowsOf: ({ client, world: { signal } }) => client.list('GET /v2/api-keys', {}, { signal }),
  nameOf: ({ name }) => name,
  heading: ['NAME', 'ROLE', 'KEY', 'EXPIRES', 'LAST USED', 'ID'],
  cellsOf: ({ name, role, hint, expires_at: end, last_used_at: used, id }, { output, world }) => [
    name,
    role,
    hint,
    endCell(end, world.now(), output.isForPeople),
    used === null ? 'never' : timeCell(used, world.now(), output.isForPeople),
    id,
  ],
  removal: {
    verb: 'revoke',
    says: 'Revoke an API key, at once',
    consequence: 'Whoever uses it is refused from now on.',
    run: ({ client, world: { signal } }, { id }) =>
      client.ask('DELETE /v2/api-keys/{key_id}', { params: { key_id: id } }, { signal }),
  },
});

/** A time to come. */
function endCell(end: string | null, now: number, isForPeople: boolean): string {
  if (end === null) return 'never';
  if (!isForPeople) return end;
  return Date.parse(end) <= now ? 'expired' : `in ${durationText(Date.parse(end) - now)}`;
}

const create = command({
  name: 'keys create',
  args: 'NAME',
  says: 'Make an API key, which is printed this once',
  more: 'The key alone goes to stdout. A key for a listener names it.',
  examples: [
    'slipway keys create ci --role developer --expires 90d',
    'slipway keys create far --role listener --listener far > key.txt',
  ],
  flags: {
    role: { value: 'ROLE', says: 'what it may do (or developer)', among: roles },
    expires: { value: 'TIME', says: 'when it ends: in 12h, 90d, or at 2027-01-01T00:00:00Z' },
    listener: { value: 'LISTENER', says: 'for --role listener: which one, by its compute id' },
  },
  async run(shell, { role: asked = 'developer', expires, listener }, [name = '']) {
    const role = roles.find((each) => each === asked) ?? 'developer';
    if ((role === 'listener') !== (listener !== undefined))
      throw new UsageError('--role listener and --listener go together.');
    const end = expires === undefined ? undefined : timeOf('expires', expires, shell.world.now(), 1);
    const body = {
      name,
      role,
      expires_at: end?.toISOString(),
      listener_id: listener === undefined ? undefined : (await thingOf(shell, listeners, listener)).id,
    };
    const made = await shell.client.ask('POST /v2/api-keys', { body }, { signal: shell.world.signal });
    shell.output.say(`${name}: ${role}${made.expires_at === null ? '' : `, until ${made.expires_at}`}`);
    shell.output.result(made, [made.key]);
  },
});

export const keyCommands = [list, create, revoke];
