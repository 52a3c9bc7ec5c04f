import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { FreshMachine, type Ran } from '../support/programs/fresh-machine.ts';
import { lastWordsOf } from '../support/programs/program.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({});

let home: string;
let machine: FreshMachine;
beforeAll(async () => {
  home = await newFolder();
  machine = new FreshMachine(home);
});
afterAll(() => removeFolder(home));

type How = Parameters<FreshMachine['sh']>[1];
type Typed = readonly (readonly [shown: string, keys: string])[];

/** Throws with all that was printed, here and by the program, unless the line ends so. */
async function sh(line: string, how: How = {}, exit = 0): Promise<Ran> {
  const ran = await machine.sh(line, how);
  if (ran.exit === exit) return ran;
  const { stdout, stderr } = ran;
  throw new Error(`${line} ended with ${ran.exit}:\n${stdout}\n${stderr}\n${lastWordsOf(program())}`);
}
const json = async (line: string) => JSON.parse((await sh(`${line} --json`)).stdout);
/** At a terminal: all that it shows. */
const seen = async (line: string, exit = 0, ...typed: Typed) => (await sh(line, { typed }, exit)).stdout;

/** Asks what was deployed, as its own clients do. */
async function answerOf(name: string, path: string, body: object): Promise<string> {
  const { url } = await json(`slipway open ${name}`);
  const answer = await fetch(url.replace(/\/$/, '') + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  });
  return answer.text();
}
const greeting = () => answerOf('agent', '/ask', { text: 'hello there' });
const shouted = () =>
  answerOf('words', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'shout', arguments: { text: 'hello there' } },
  });

let lines: string;
const lineOf = (start: string): string =>
  lines.split('\n').find((line) => line.startsWith(start)) ?? `echo 'no line begins with ${start}'; exit 9`;

// Each test goes on from what the one before left.
it('the lines that an installation prints install the command line where only Node 20 is', async () => {
  lines = (await sh(`curl -fsS ${program().baseUrl}/cli`)).stdout;
  expect((await sh('node --version')).stdout).toMatch(/^v20\./);
  await sh(lineOf('npm install'));
  expect((await sh(lineOf('npx'))).stdout).toMatch(/^Usage: slipway/);
  const single = await sh(`${lineOf('curl')} && ${lineOf('node')} && node slipway.mjs help deploy`);
  expect(single.stdout.endsWith((await sh('slipway help deploy')).stdout)).toBe(true);
});

it('without a terminal: from fastapi, deployed, followed, given a secret, rolled back, deleted', async () => {
  const signedIn = await sh(`${lineOf('slipway login')} --key-stdin --json`, { input: program().apiKey });
  expect(JSON.parse(signedIn.stdout)).toMatchObject({ role: 'organization_admin' });
  expect((await json('slipway doctor')).checks).toContainEqual({
    name: 'version',
    status: 'ok',
    says: expect.any(String),
  });
  expect(await json('slipway init agent --template fastapi')).toMatchObject({ name: 'agent' });
  expect(await json('slipway deploy agent')).toMatchObject({ name: 'agent' });
  expect(await greeting()).toBe('{"answer":"v1: HELLO THERE!"}');
  const followed = await sh('exec slipway logs agent -f --json', { until: '\n' }, 4);
  const [first = ''] = followed.stdout.split('\n');
  expect(Object.keys(JSON.parse(first))).toEqual(['id', 'timestamp', 'level', 'message']);
  await json("slipway secrets set 'SHOUT_ENDING=?!' -d agent");
  expect(await greeting()).toBe('{"answer":"v1: HELLO THERE?!"}');
  await sh('slipway rollback -d agent', {}, 2);
  await json('slipway rollback -d agent -y');
  expect(await greeting()).toBe('{"answer":"v1: HELLO THERE!"}');
  await sh('slipway delete agent', {}, 2);
  expect(await json('slipway delete agent -y')).toMatchObject({ name: 'agent', deleted: true });
  expect(await json('slipway list')).toEqual([]);
});

it('at a terminal: from mcp, deployed, followed, given a secret unseen, rolled back, deleted', async () => {
  const login = `printf %s ${program().apiKey} | ${lineOf('slipway login')} --as typed --key-stdin`;
  expect(await seen(login)).toContain('typed: organization_admin');
  await seen('slipway init words', 0, ['Template (', 'mcp\r']);
  expect(await seen('slipway deploy words')).toContain('\u001B[');
  expect(await shouted()).toContain('v1: HELLO THERE!');
  await seen('exec slipway logs words -f', 4, ['startup complete', '\u0003']);
  const set = await seen('slipway secrets set ENDING -d words', 0, ['Value of ENDING: ', 'psst\r']);
  expect(set).not.toContain('psst');
  expect(await shouted()).toContain('v1: HELLO THEREpsst');
  const back = await seen('slipway rollback -d words', 0, ['[y/N]', 'y\r']);
  expect(back).toContain('ENDING');
  expect(await shouted()).toContain('v1: HELLO THERE!');
  const question = 'Type its name';
  expect(await seen('slipway delete words', 2, [question, 'wrods\r'])).toContain("That is not 'words'");
  await seen('slipway delete words', 0, [question, 'words\r']);
  expect(await json('slipway list')).toEqual([]);
});

it('both templates of LangGraph are deployed, side by side, and answer', async () => {
  const input = JSON.stringify({ messages: [{ role: 'user', content: 'hello there' }] });
  const answers = ['langgraph-python', 'langgraph-js'].map(async (template) => {
    await sh(`slipway init ${template} --template ${template} && slipway deploy ${template}`);
    return (await sh(`slipway run ${template} -i '${input}'`)).stdout;
  });
  expect(await Promise.all(answers)).toEqual(['v1: HELLO THERE!\n', 'v1: HELLO THERE!\n']);
});
