import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { writeFiles } from '../support/files/write-files.ts';
import { onLoopback } from '../support/http/loopback-server.ts';
import { anIssuer } from '../support/oauth/issuer.ts';
import { action, gitlabTemplate, runAction, runTemplate, tokenEndpoint } from '../support/programs/ci-job.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import { endProgram, expectApi, startProgram } from '../support/programs/program.ts';

const GITHUB = {
  repository_id: '4711',
  repository: 'acme/agent',
  ref: 'refs/heads/main',
  event_name: 'push',
};
const GITLAB = {
  pipeline_source: 'push',
  project_id: '42',
  project_path: 'acme/agent',
  ref_path: 'refs/heads/main',
  ref: 'main',
};

/** An installation that trusts an issuer, a rule about one repository of it, and the folder of a project. */
async function aScene(subject: Record<string, string>) {
  const folder = await newFolder();
  onTestFinished(() => removeFolder(folder));
  const issuer = await anIssuer();
  const program = await startProgram({ environment: { SLIPWAY_OIDC_ISSUERS: issuer.url } });
  onTestFinished(async () => expect(await endProgram(program)).toEqual([]));
  const rule = { name: 'agent', issuer: issuer.url, role: 'developer', ref: 'refs/heads/main', ...subject };
  await expectApi(program, 'POST', '/v2/token-rules', rule, 201);
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFiles(project, await helloFiles());
  return { issuer, program, project, url: program.baseUrl };
}

const claimsOf = (claims: object) => () => ({ ...claims, jti: crypto.randomUUID() });

it("the action deploys with the job's own identity, takes values to the letter, and shows no secret", async () => {
  const { issuer, project, url } = await aScene({ repository_id: '4711' });
  const runner = await tokenEndpoint(issuer, claimsOf(GITHUB));
  const hostile = `$(touch pwned) 'one' "two" #three\\n; touch pwned`;
  const env = `\n# a comment\nGREETING=${hostile}\nPATH=of the agent\n`;
  const job = await runAction(project, { name: 'agent', url: `${url}/`, env }, runner);
  expect(job).toMatchObject({ exit: 0, left: [] });
  const [, address = ''] = /^address=(.*)\nrevision=2\n$/.exec(job.outputs) ?? [];
  expect(await (await fetch(address)).json()).toMatchObject({ version: 'v1', greeting: hostile });
  expect(job.summary).toContain(`<td>${address}</td>`);
  expect(job.stdout.split('\n').at(-2)).toBe(address);

  const masked = [...job.stdout.matchAll(/^::add-mask::(.+)$/gm)].map(([, value = '']) => value);
  expect(masked).toHaveLength(2);
  const said = job.stdout.replaceAll(/^::add-mask::.+$/gm, '') + job.stderr + job.summary + job.outputs;
  for (const secret of [...masked, hostile, 'of-the-runner']) expect(said).not.toContain(secret);
  // What the runner prints of a build's log is between these, where it obeys nothing.
  expect(said).toMatch(/^::stop-commands::([\w-]+)$[^]*^::\1::$/m);

  const name = '$(touch pwned); `touch pwned`';
  const odd = await runAction(project, { name, url, folder: '; touch pwned' }, runner);
  expect(odd).toMatchObject({ exit: 2, summary: expect.stringContaining('There is no folder') });
  const wrong = await runAction(project, { name: 'agent', url, env: 'A=1\nhalf of a secret' }, runner);
  expect(wrong).toMatchObject({
    exit: 1,
    summary: expect.stringContaining('Line 2 of env is not NAME=value.'),
  });
  expect(wrong.stdout + wrong.stderr + wrong.summary).not.toContain('half of');
  expect((await readdir(project)).toSorted()).toEqual(['package.json', 'server.js']);
});

it('the action fails its job with the reason, and with the lines that matter', async () => {
  const { issuer, project, url } = await aScene({ repository_id: '4711' });
  const runner = await tokenEndpoint(issuer, claimsOf(GITHUB));
  const build = "echo '::warning::<b>because</b>' && exit 7";
  await writeFiles(project, { 'package.json': packageJson({ build }) });
  const failed = await runAction(project, { name: 'agent', url }, runner);
  expect(failed).toMatchObject({ exit: 3, outputs: '', left: [] });
  expect(failed.stdout).toMatch(/^::error title=Slipway::Revision 2 of agent: build failed: .*7/m);
  expect(failed.summary).toContain('<td>BUILD_FAILED</td>');
  expect(failed.summary).toMatch(/<pre>[^]*&lt;b&gt;because&lt;\/b&gt;[^]*<\/pre>/);

  const other = await tokenEndpoint(issuer, claimsOf({ ...GITHUB, ref: 'refs/heads/next' }));
  const unfit = await runAction(project, { name: 'agent', url }, other);
  expect(unfit).toMatchObject({ exit: 1, summary: expect.stringContaining('refs/heads/next') });
  const twice = await tokenEndpoint(issuer, () => ({ ...GITHUB, jti: 'once' }));
  await runAction(project, { name: 'agent', url, folder: 'nowhere' }, twice);
  const replayed = await runAction(project, { name: 'agent', url }, twice);
  expect(replayed).toMatchObject({ exit: 1, summary: expect.stringContaining('jti') });
  const unasked = await runAction(project, { name: 'agent', url });
  expect(unasked).toMatchObject({ exit: 1, summary: expect.stringContaining('id-token: write') });
  const plain = await runAction(project, { name: 'agent', url: 'http://slipway.example.com' }, runner);
  expect(plain).toMatchObject({ exit: 1, summary: expect.stringContaining('https://') });
});

it('an empty line in a reason ends no table of the summary, behind which the rest would be formatted', async () => {
  const refusing = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ detail: 'no\r\n\n\n# [here](https://evil.example)' }));
  });
  const { url, close } = await onLoopback(refusing);
  onTestFinished(close);
  const folder = await newFolder();
  onTestFinished(() => removeFolder(folder));
  const project = join(folder, 'project');
  await mkdir(project);
  const runner = await tokenEndpoint(await anIssuer(), claimsOf(GITHUB));
  const { summary } = await runAction(project, { name: 'agent', url }, runner);
  expect(summary).toContain('400: no<br># [here](https://evil.example)</td>');
});

it('nothing that is given to the action is a part of its shell, and each output is one of its step', () => {
  expect(action.runs.using).toBe('composite');
  for (const { run } of action.runs.steps) expect(run).not.toContain('${{');
  const used = action.runs.steps.flatMap(({ env }) => Object.values(env));
  expect(used.toSorted()).toEqual(
    Object.keys(action.inputs)
      .map((name) => `\${{ inputs.${name} }}`)
      .toSorted(),
  );
  expect(Object.keys(action.outputs)).toEqual(['address', 'revision']);
});

it("GitLab's template deploys with the job's own identity, and gives the address to the environment", async () => {
  const { issuer, project, url } = await aScene({ project_id: '42' });
  const job = gitlabTemplate['.slipway-deploy'];
  expect(job?.id_tokens).toEqual({ SLIPWAY_ID_TOKEN: { aud: '$SLIPWAY_URL' } });
  const token = () => issuer.token('project_path:acme/agent', { ...claimsOf(GITLAB)(), aud: url });
  const given = { SLIPWAY_URL: url, SLIPWAY_NAME: 'agent', SLIPWAY_SECRETS: 'GREETING' };
  const GREETING = `$(touch pwned) 'one' "two"; touch pwned`;
  const ran = await runTemplate(project, { ...given, GREETING, SLIPWAY_ID_TOKEN: await token() });
  expect(ran).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^SLIPWAY_ADDRESS=http\S+\n$/) });
  const address = ran.stdout.trim().slice('SLIPWAY_ADDRESS='.length);
  expect(await readFile(join(project, 'slipway.env'), 'utf8')).toBe(ran.stdout);
  expect(await (await fetch(address)).json()).toMatchObject({ greeting: GREETING });
  expect(ran.stdout + ran.stderr).not.toContain(GREETING);
  expect((await readdir(project)).toSorted()).toEqual(['package.json', 'server.js', 'slipway.env']);

  const unknown = { ...given, SLIPWAY_SECRETS: '*', SLIPWAY_ID_TOKEN: await token() };
  const missing = expect.stringContaining('--secret * has no value');
  expect(await runTemplate(project, unknown)).toMatchObject({ exit: 2, stdout: '', stderr: missing });
  const refused = await runTemplate(project, { ...given, SLIPWAY_ID_TOKEN: 'no token' });
  expect(refused).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^The key was refused with 4\d\d: /),
  });
});
