import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { expectGolden, printedBy } from '../support/programs/golden.ts';
import { type At, slipway } from '../support/programs/user-cli.ts';
import { until } from '../support/until.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({ SLIPWAY_OIDC_ISSUERS: 'https://token.actions.githubusercontent.com' });

let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  // The machine's own listener begins a moment after the API answers: keys and listeners are listed with it.
  await until(async () => (await own())?.status === 'ONLINE', { what: "the machine's own listener" });
});
afterAll(() => removeFolder(folder));

const at = (more: At = {}): At => ({
  cwd: folder,
  home: folder,
  fetch,
  environment: { SLIPWAY_URL: program().baseUrl, SLIPWAY_API_KEY: program().apiKey },
  ...more,
});
const run = (args: string[], more: At = {}) => slipway(at(more), args);
const json = async (args: string[]) => JSON.parse((await run([...args, '--json'])).stdout);
const own = async () =>
  (await json(['listeners', 'list'])).find((one: { compute_id: string }) => one.compute_id === 'local');

it('makes a key that works, printed alone, and revokes it by name', async () => {
  const { exit, stdout, stderr } = await run(['keys', 'create', 'ci', '--role', 'viewer', '--expires', '1d']);
  expect([exit, stderr]).toEqual([0, expect.stringMatching(/^ci: viewer, until \d{4}-/)]);
  const environment = { SLIPWAY_URL: program().baseUrl, SLIPWAY_API_KEY: stdout.trim() };
  expect(await run(['whoami'], { environment })).toMatchObject({ stdout: expect.stringContaining('viewer') });
  expectGolden('keys-list', await printedBy(at(), ['keys', 'list']));
  expectGolden('keys-revoke', await printedBy(at(), ['keys', 'revoke', 'ci'], 'plain'));
  expectGolden('keys-revoked', await printedBy(at({ answers: ['y'] }), ['keys', 'revoke', 'ci'], 'terminal'));
  expect(await run(['whoami'], { environment })).toMatchObject({ exit: 1 });
  expectGolden('keys-unknown', await printedBy(at(), ['keys', 'revoke', 'ci'], 'json'));
});

it('asks for the id where two have a name', async () => {
  for (let made = 0; made < 2; made += 1) await run(['keys', 'create', 'twice']);
  const { exit, stderr } = await run(['keys', 'revoke', 'twice', '-y']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("There are 2 keys named 'twice'")]);
  const both: { id: string; name: string }[] = await json(['keys', 'list']);
  for (const { id } of both.filter(({ name }) => name === 'twice'))
    expect(await run(['keys', 'revoke', id, '-y'])).toMatchObject({ exit: 0 });
});

it('registers a listener, gives it a key by its name, and deletes it', async () => {
  const more = ['--namespace', 'agents'];
  expect(await run(['listeners', 'create', 'far', ...more])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
  });
  expectGolden('listeners-list', await printedBy(at(), ['listeners', 'list'], 'terminal'));
  // The table keeps no order of the fields of compute_config.
  expect(await json(['listeners', 'list'])).toMatchObject([
    { compute_id: 'far', compute_config: { k8s_namespaces: ['agents'] }, status: 'NEVER_SEEN' },
    { compute_id: 'local', compute_type: 'process' },
  ]);
  const key = ['keys', 'create', 'far', '--role', 'listener'];
  expect(await run(key)).toMatchObject({ exit: 2, stderr: expect.stringContaining('go together') });
  expect(await run([...key, '--listener', 'far'])).toMatchObject({ exit: 0 });
  expectGolden('listeners-delete', await printedBy(at(), ['listeners', 'delete', 'far', '-y'], 'plain'));
});

it('gives roles to members and takes them', async () => {
  expectGolden(
    'members-set',
    await printedBy(at(), ['members', 'set', 'auth0|ann', '--role', 'admin'], 'plain'),
  );
  expectGolden('members-list', await printedBy(at(), ['members', 'list']));
  expectGolden('members-remove', await printedBy(at(), ['members', 'remove', 'auth0|ann', '-y'], 'json'));
});

it('lets the jobs of a repository in by its number, and not by its name', async () => {
  const rule = ['rules', 'create', 'deploy', '--ref', 'refs/heads/main', '--repository'];
  expectGolden('rules-refused', await printedBy(at(), [...rule, 'acme/agent'], 'plain'));
  expectGolden('rules-create', await printedBy(at(), [...rule, '123456789'], 'json'));
  expectGolden('rules-list', await printedBy(at(), ['rules', 'list']));
  expectGolden('rules-delete', await printedBy(at(), ['rules', 'delete', 'deploy', '-y'], 'plain'));
});

it('keeps the token of a git host, and shows it to nobody', async () => {
  const create = ['integrations', 'create', 'own', '--type', 'gitea', '--host', 'git.example.com'];
  expectGolden('integrations-create', await printedBy(at({ input: 'a-token-of-gitea\n' }), create, 'json'));
  expectGolden('integrations-list', await printedBy(at(), ['integrations', 'list']));
  const shown = JSON.stringify([await json(['integrations', 'list']), await json(['audit'])]);
  expect(shown).not.toContain('a-token-of-gitea');
  expectGolden(
    'integrations-delete',
    await printedBy(at(), ['integrations', 'delete', 'own', '-y'], 'plain'),
  );
});

it('has events delivered, and tells what came of it', async () => {
  const create = ['webhooks', 'create', 'ops', 'https://ops.invalid/slipway'];
  const made = await run(create);
  expect(made).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  expectGolden('webhooks-list', await printedBy(at(), ['webhooks', 'list']));
  expectGolden('webhooks-test', await printedBy(at(), ['webhooks', 'test', 'ops'], 'plain'));
  const [sent] = await json(['webhooks', 'deliveries', 'ops']);
  expect(sent).toMatchObject({ event_type: 'webhook.test', requested: true });
  expect(await run(['webhooks', 'deliveries', 'ops'])).toMatchObject({
    stdout: expect.stringContaining('webhook.test'),
  });
  expectGolden('webhooks-delete', await printedBy(at(), ['webhooks', 'delete', 'ops', '-y'], 'plain'));
});

it('prints events and follows them from one on', async () => {
  const create = { name: 'seen', source: 'internal_source', source_config: {}, source_revision_config: {} };
  const api = ['api', 'POST /v2/deployments', '-i', JSON.stringify(create)];
  expect(await run(api)).toMatchObject({ exit: 0 });
  const { stdout } = await run(['events', '--deployment', 'seen']);
  expect(stdout).toMatch(/^\d+ \S+ deployment\.created seen\n/);
  const number = stdout.split(' ')[0] ?? '';
  const ending = new AbortController();
  const followed = await run(['events', '-f', '--after', String(Number(number) - 1), '--json'], {
    signal: ending.signal,
    onWrite: () => ending.abort(),
  });
  expect(JSON.parse(followed.stdout.split('\n')[0] ?? '')).toMatchObject({
    number: Number(number),
    type: 'deployment.created',
  });
  expect(await run(['events', '--after', 'x'])).toMatchObject({ exit: 2 });
});

it('prints who did what', async () => {
  await run(['keys', 'create', 'seen']);
  expect(await run(['keys', 'revoke', 'seen', '-y'])).toMatchObject({ exit: 0 });
  const [last]: object[] = await json(['audit', '--action', 'api_key.revoke', '--since', '1h']);
  expect(last).toMatchObject({ action: 'api_key.revoke', details: { role: 'developer' } });
  expect((await run(['audit', '-n', '1'])).stdout.trim().split('\n')).toHaveLength(2);
  expect(await run(['audit', '--action', 'nonsense'])).toMatchObject({ exit: 1 });
  expect(await run(['audit', '-n', '0'])).toMatchObject({ exit: 2 });
});
