import type { Ask } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import { timeCell } from '../shell/shown.ts';
import { thingCommands } from '../shell/things.ts';

const roles = [
  'viewer',
  'developer',
  'admin',
  'organization_admin',
] as const satisfies readonly Ask<'POST /v2/members'>['body']['role'][];

const [list, remove] = thingCommands({
  noun: 'members',
  one: 'member',
  rowsOf: ({ client, world: { signal } }) => client.list('GET /v2/members', {}, { signal }),
  nameOf: ({ user_id: user }) => user,
  heading: ['USER', 'ROLE', 'SINCE', 'ID'],
  cellsOf: ({ user_id: user, role, created_at: at, id }, { output, world }) => [
    user,
    role,
    timeCell(at, world.now(), output.isForPeople),
    id,
  ],
  removal: {
    verb: 'remove',
    says: "Take a user's role in the tenant, at once",
    consequence: 'They have no access to the tenant from now on.',
    run: ({ client, world: { signal } }, { id }) =>
      client.ask('DELETE /v2/members/{member_id}', { params: { member_id: id } }, { signal }),
  },
});

const set = command({
  name: 'members set',
  args: 'USER',
  says: 'Give a user of the identity provider a role in the tenant, or another one',
  more: 'USER is the subject (sub) of their tokens.',
  examples: ['slipway members set auth0_5f7c8ec7 --role developer'],
  flags: { role: { value: 'ROLE', says: 'what they may do (default: developer)', among: roles } },
  async run({ client, output, world }, given, [user = '']) {
    const role = roles.find((each) => each === given.role) ?? 'developer';
    const made = await client.ask(
      'POST /v2/members',
      { body: { user_id: user, role } },
      { signal: world.signal },
    );
    output.result(made, [`${made.user_id}: ${made.role}`]);
  },
});

export const memberCommands = [list, set, remove];
