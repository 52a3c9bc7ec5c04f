import type { Ask, Listed } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import { secretLine } from '../shell/secrets.ts';
import { timeCell } from '../shell/shown.ts';
import { type Things, thingCommands, thingOf } from '../shell/things.ts';

const types = [
  'github',
  'gitlab',
  'gitea',
  'bitbucket',
] as const satisfies readonly Ask<'POST /v2/integrations'>['body']['type'][];

const integrations: Things<Listed<'GET /v2/integrations'>> = {
  noun: 'integrations',
  one: 'integration',
  rowsOf: ({ client, world: { signal } }) => client.list('GET /v2/integrations', {}, { signal }),
  nameOf: ({ name }) => name,
  heading: ['NAME', 'TYPE', 'HOST', 'PUSHES', 'CREATED', 'ID'],
  cellsOf: (row, { output, world }) => [
    row.name,
    row.type,
    row.host,
    row.has_webhook_secret ? 'proved' : 'no secret',
    timeCell(row.created_at, world.now(), output.isForPeople),
    row.id,
  ],
  removal: {
    says: 'Delete an integration and its token; deployments that name it stay',
    consequence: 'Their repositories are read without a token from now on.',
    run: ({ client, world: { signal } }, { id }) =>
      client.ask('DELETE /v2/integrations/{integration_id}', { params: { integration_id: id } }, { signal }),
  },
};
const [list, remove] = thingCommands(integrations);

const create = command({
  name: 'integrations create',
  args: 'NAME',
  says: 'Give access to the repositories of a git host',
  more: 'The token is asked for, unseen; without a terminal it is read from stdin.',
  examples: [
    'slipway integrations create work --type github',
    'pass show gitea | slipway integrations create own --type gitea --host git.example.com',
  ],
  flags: {
    type: { value: 'TYPE', says: 'what the host runs (default: github)', among: types },
    host: { value: 'HOST', says: "where it is (default: the type's own)" },
    submodules: { says: 'let submodules on the host have the token too' },
  },
  async run(shell, { type: asked, host, submodules }, [name = '']) {
    const type = types.find((each) => each === asked) ?? 'github';
    const token = await secretLine(shell, `Token for ${host ?? type}`);
    const body = { name, type, host, submodules, token };
    const made = await shell.client.ask('POST /v2/integrations', { body }, { signal: shell.world.signal });
    shell.output.result(made, [made.id]);
  },
});

const repositories = command({
  name: 'integrations repositories',
  args: 'NAME',
  says: 'List the repositories that the token of an integration sees',
  examples: ['slipway integrations repositories work'],
  flags: {},
  async run(shell, _, [name = '']) {
    const { id } = await thingOf(shell, integrations, name);
    const found = await shell.client.ask(
      'GET /v1/integrations/github/{integration_id}/repos',
      { params: { integration_id: id } },
      { signal: shell.world.signal },
    );
    const rows = found.map((each) => [`${each.owner}/${each.name}`, each.default_branch ?? '', each.url]);
    shell.output.result(
      found,
      rows.length === 0 ? [] : shell.output.table(['REPOSITORY', 'BRANCH', 'ADDRESS'], rows),
    );
  },
});

export const integrationCommands = [list, create, repositories, remove];
