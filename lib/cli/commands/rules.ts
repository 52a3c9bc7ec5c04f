import { command } from '../shell/command.ts';
import { thingCommands } from '../shell/things.ts';

const [list, remove] = thingCommands({
  noun: 'rules',
  one: 'rule',
  rowsOf: ({ client, world: { signal } }) => client.list('GET /v2/token-rules', {}, { signal }),
  nameOf: ({ name }) => name,
  heading: ['NAME', 'ROLE', 'ISSUER', 'REPOSITORY', 'ONLY', 'ID'],
  cellsOf: (row) => [
    row.name,
    row.role,
    row.issuer,
    row.repository_id ?? row.project_id ?? '',
    [row.ref, row.environment, row.event_name].filter((each) => each !== null).join(', '),
    row.id,
  ],
  removal: {
    says: 'Delete a rule for CI, and with it the keys that it gave',
    consequence: 'Jobs that run now are refused from then on.',
    run: ({ client, world: { signal } }, { id }) =>
      client.ask('DELETE /v2/token-rules/{rule_id}', { params: { rule_id: id } }, { signal }),
  },
});

const GITHUB = 'https://token.actions.githubusercontent.com';

const create = command({
  name: 'rules create',
  args: 'NAME',
  says: 'Let the jobs of one repository exchange their token for a key of an hour',
  more: 'The repository is named by its number, which nobody can take over: gh api repos/OWNER/NAME --jq .id',
  examples: [
    'slipway rules create deploy --repository 123456789 --ref refs/heads/main',
    'slipway rules create deploy --issuer https://gitlab.com --project 4242 --environment production',
  ],
  flags: {
    issuer: { value: 'URL', says: `who signs the tokens (default: ${GITHUB})` },
    repository: { value: 'NUMBER', says: "GitHub's number of the repository" },
    project: { value: 'NUMBER', says: "GitLab's number of the project" },
    ref: { value: 'REF', says: 'only this ref, in full: refs/heads/main' },
    environment: { value: 'NAME', says: 'only jobs of this environment' },
    event: { value: 'EVENT', says: 'only this event; those of pull requests have to be named' },
    role: { value: 'ROLE', says: 'what they may do (default: developer)', among: ['viewer', 'developer'] },
  },
  async run({ client, output, world }, given, [name = '']) {
    const body = {
      name,
      issuer: given.issuer ?? GITHUB,
      repository_id: given.repository,
      project_id: given.project,
      ref: given.ref,
      environment: given.environment,
      event_name: given.event,
      role: given.role === 'viewer' ? ('viewer' as const) : ('developer' as const),
    };
    const made = await client.ask('POST /v2/token-rules', { body }, { signal: world.signal });
    output.result(made, [made.id]);
  },
});

export const ruleCommands = [list, create, remove];
