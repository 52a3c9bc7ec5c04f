import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { agentFiles } from '../support/programs/agents.ts';
import { create, ended, endProgram, type Program } from '../support/programs/program.ts';
import { expectTour } from '../support/programs/tour.ts';
import { installUv, type Uv } from '../support/programs/uv.ts';
import { isBrief } from '../support/run/brief.ts';
import { expectAgentFlow } from './agent-flow.ts';
import { expectClosedAgent } from './agents-closed.ts';
import { expectLockedInstall, expectUnfitLockfile } from './agents-locked.ts';
import { expectUploadedAgent } from './agents-uploaded.ts';
import { expectHiddenThreads, expectPinnedThreads, expectWaitingThreads } from './agents-waiting.ts';
import { SharedProgram } from './shared-program.ts';

const TOUR_LINES = [
  'DEPLOYED',
  'v1: HELLO THERE!',
  expect.stringContaining('HELLO'),
  expect.stringContaining('THERE'),
  'DEPLOYED',
  'v2: HELLO THERE!',
  'DEPLOYED',
  'v1: HELLO THERE!',
  'DEPLOYED',
  'v1: HELLO THERE?!',
];

/** What a failed test shows of the program's output. */
const OUTPUT_CHARACTERS = 6000;
const FLOW_MS = 1_800_000;

// One program for all: what the first test of a language downloads, the others find in its cache. It has uv
// on its PATH; five agents side by side have pip.
let shared: SharedProgram;
let uv: Uv;
let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  uv = installUv(folder);
  // A run that a busy machine makes slow is not cut off at a switch.
  shared = new SharedProgram({ PATH: uv.path, SLIPWAY_DRAIN_SECONDS: '60' });
  await shared.start();
});
afterAll(async () => {
  expect(await endProgram(shared.program)).toEqual([]);
  await removeFolder(folder);
});

const showOutputOnFailure = () =>
  onTestFailed(() => void process.stdout.write(shared.program.output().slice(-OUTPUT_CHARACTERS)));

it.each([
  ['shout-agent', { path: 'src/agent.js', text: "import './nothing_of_that_name.js';\n" }],
  ['shout-agent-python', { path: 'agent.py', text: 'import nothing_of_that_name\n' }],
])(
  '%s is built, answers, streams, is updated without a failed request, keeps its threads and is rolled back',
  async (example, brokenFile) => {
    showOutputOnFailure();
    await expectAgentFlow(shared, example, brokenFile);
  },
  FLOW_MS,
);

it.each(isBrief ? [['shout-agent']] : [['shout-agent'], ['shout-agent-python']])(
  'a nested %s is deployed from a tarball, and its log is followed while it runs',
  async (example) => {
    showOutputOnFailure();
    await expectUploadedAgent(shared.program, example);
  },
  FLOW_MS,
);

it.skipIf(isBrief).each([['shout-agent'], ['shout-agent-python']])(
  '%s serves without what its server has for development',
  async (example) => {
    showOutputOnFailure();
    await expectClosedAgent(shared.program, example);
  },
  FLOW_MS,
);

const RELEASES: [what: string, expectThreads: (program: Program) => Promise<void>][] = [
  ['names threads that wait at a node which it has not', expectWaitingThreads],
  ['fails where it must not lose threads that an agent hides', expectHiddenThreads],
  // Also in test/agents/durable/pinned.test.ts.
  ['of a durable agent leaves threads to the code that they wait in', expectPinnedThreads],
];

it.each(isBrief ? RELEASES.slice(0, 2) : RELEASES)(
  'a release %s',
  async (_, expectThreads) => {
    showOutputOnFailure();
    await expectThreads(shared.program);
  },
  FLOW_MS,
);

const TOURS: [example: string, more: string[]][] = [
  // Its run goes on after a crash.
  ['shout-agent-python', ['v1: ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN?!', 'success']],
  ['shout-agent', []],
];

it.each(isBrief ? TOURS.slice(0, 1) : TOURS)(
  'the tour in the README of %s does what it says',
  async (example, more) => {
    showOutputOnFailure();
    await expectTour(shared.program, example, {
      said: /^(v\d: |data: .*"word"|success$)/,
      lines: [...TOUR_LINES, ...more],
      path: uv.path,
    });
  },
  FLOW_MS,
);

it(
  'a locked Python project is installed by uv from its lockfile, with a dev server, and kept for the next build',
  async () => {
    showOutputOnFailure();
    await expectLockedInstall(shared.program, uv);
  },
  FLOW_MS,
);

it.skipIf(isBrief)(
  'a lockfile that does not fit is not used, and the build log says so',
  async () => {
    showOutputOnFailure();
    await expectUnfitLockfile(shared.program, uv);
  },
  FLOW_MS,
);

it.each([
  [
    'shout-agent',
    'package.json',
    (text: string) =>
      text.replace('"dependencies": {', '"dependencies": { "slipway-no-such-package": "1.0.0",'),
    /slipway-no-such-package/,
  ],
  [
    'shout-agent-python',
    'requirements.txt',
    (text: string) => `${text}slipway-no-such-package==1.0.0\n`,
    /No matching distribution found for slipway-no-such-package==1\.0\.0|slipway-no-such-package was not found/,
  ],
])(
  '%s with a dependency that does not resolve fails its build, naming it',
  async (example, path, change, reason) => {
    const files = await agentFiles(example);
    const { url } = await gitRepository({ ...files, [path]: change(String(files[path])) });
    const made = await create(shared.program, `${example}-unresolved`, url);
    const { status, status_message: message } = await ended(
      shared.program,
      made.id,
      made.latest_revision_id,
      FLOW_MS,
    );
    expect([status, message]).toEqual(['BUILD_FAILED', expect.stringMatching(reason)]);
  },
  FLOW_MS,
);
