import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Files } from '../files/write-files.ts';
import { expectApi, type Program, type ShownDeployment } from './program.ts';

const examples = new URL('../../../examples/', import.meta.url);

let python: string | undefined;

/** Of this machine: the examples name the one they were written with. */
function pythonVersion(): string {
  const question = "import sys; print('%d.%d' % sys.version_info[:2])";
  python ??= execFileSync('python3', ['-c', question], { encoding: 'utf8' }).trim();
  return python;
}

/** The files of an example agent, which calls itself `version`. */
export async function agentFiles(example: string, version = 'v1'): Promise<Files> {
  const folder = new URL(`${example}/`, examples);
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.pathname.length))
    .filter((name) => !/node_modules|__pycache__|\.venv|\.langgraph_api/.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      const here = text.replace(/"python_version": "[^"]*"/, () => `"python_version": "${pythonVersion()}"`);
      return [name, here.replace(/VERSION = (['"])v1\1/, `VERSION = $1${version}$1`)] as const;
    }),
  );
  return Object.fromEntries(files);
}

type Messages = { messages: { content: string }[] };

const say = (text: string, more: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    assistant_id: 'agent',
    input: { messages: [{ role: 'user', content: text }] },
    ...more,
  }),
});

async function ask<T>(deployment: ShownDeployment, path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`${deployment.source_config.custom_url}${path}`, init);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** What the agent answers to a text, on a thread or without one. */
export async function shouted(deployment: ShownDeployment, text: string, threadId?: string): Promise<string> {
  const path = threadId === undefined ? '/runs/wait' : `/threads/${threadId}/runs/wait`;
  const { messages } = await ask<Messages>(deployment, path, say(text));
  return messages.at(-1)?.content ?? '';
}

export async function newThread(deployment: ShownDeployment): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  return (await ask<{ thread_id: string }>(deployment, '/threads', init)).thread_id;
}

/** All that was said on a thread. */
export async function saidOn(deployment: ShownDeployment, threadId: string): Promise<string[]> {
  const { values } = await ask<{ values: Partial<Messages> | null }>(
    deployment,
    `/threads/${threadId}/state`,
  );
  return values?.messages?.map((message) => message.content) ?? [];
}

export type StreamedWord = { word: string; at: number };

/** The words of a streamed run, each with the moment its event came (ms). */
export async function streamedWords(deployment: ShownDeployment, text: string): Promise<StreamedWord[]> {
  const url = `${deployment.source_config.custom_url}/runs/stream`;
  const response = await fetch(url, say(text, { stream_mode: ['custom'] }));
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const words: StreamedWord[] = [];
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + chunk).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const word = /"word":\s*"([^"]*)"/.exec(event)?.[1];
      if (word !== undefined) words.push({ word, at: performance.now() });
    }
  }
  return words;
}

type LogPage = { logs: { level: string; message: string }[] };

/** The newest lines of a revision's log, oldest first. */
export async function logOf(
  program: Program,
  deployment: ShownDeployment,
  kind: 'build' | 'deploy',
  revisionId = deployment.latest_revision_id,
): Promise<LogPage['logs']> {
  const path = `/v1/projects/${deployment.id}/revisions/${revisionId}/${kind}_logs`;
  const page = await expectApi<LogPage>(program, 'POST', path, { order: 'desc', limit: 1000 }, 200);
  return page.logs.toReversed();
}

/** Prints the seconds of the parts of a deployment's newest revision, as its logs say them. */
export async function printTimes(program: Program, deployment: ShownDeployment, name: string): Promise<void> {
  const logs = await Promise.all(
    (['build', 'deploy'] as const).map((kind) => logOf(program, deployment, kind)),
  );
  const times = logs
    .flat()
    .flatMap(({ message }) => (message.startsWith('timing:') ? message.slice('timing:'.length) : []));
  process.stdout.write(`${name}:${times.join('')}\n`);
}

/** How many milliseconds the install step of a revision's build took, as its log says. */
export async function installMilliseconds(
  program: Program,
  deployment: ShownDeployment,
  revisionId = deployment.latest_revision_id,
): Promise<number> {
  const lines = await logOf(program, deployment, 'build', revisionId);
  const [, milliseconds] = /\binstall_ms=(\d+)/.exec(lines.map((line) => line.message).join('\n')) ?? [];
  return Number(milliseconds);
}

/**
 * An example agent below `apps/agent`, whose words go through a library of the same source, at `libs/shared`.
 */
export async function nestedAgentFiles(example: string): Promise<Files> {
  const flat = await agentFiles(example);
  const files = Object.fromEntries(Object.entries(flat).map(([path, text]) => [`apps/agent/${path}`, text]));
  const edit = (path: string, change: (text: string) => string) => {
    const text = files[path];
    if (typeof text !== 'string') throw new Error(`${example} has no ${path}`);
    const changed = change(text);
    if (changed === text) throw new Error(`${path} is not what this expects`);
    files[path] = changed;
  };
  if (example.endsWith('python')) {
    edit('apps/agent/langgraph.json', (text) => text.replace('["."]', '[".", "../../libs/shared"]'));
    edit(
      'apps/agent/agent.py',
      (text) =>
        `from shared_words import loud\n${text.replace('str(state["messages"][-1].content).upper()', 'loud(str(state["messages"][-1].content))')}`,
    );
    files['libs/shared/pyproject.toml'] =
      '[project]\nname = "shared-words"\nversion = "1.0.0"\n\n[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n[tool.setuptools]\npackages = ["shared_words"]\n';
    files['libs/shared/shared_words/__init__.py'] = 'def loud(text: str) -> str:\n    return text.upper()\n';
    return files;
  }
  edit('apps/agent/package.json', (text) =>
    text.replace('"dependencies": {', '"dependencies": {\n    "shared-words": "file:../../libs/shared",'),
  );
  edit(
    'apps/agent/src/agent.js',
    (text) =>
      `import { loud } from 'shared-words';\n${text.replace('textOf(state.messages.at(-1)).toUpperCase()', 'loud(textOf(state.messages.at(-1)))')}`,
  );
  files['libs/shared/package.json'] = JSON.stringify({
    name: 'shared-words',
    version: '1.0.0',
    type: 'module',
    exports: './index.js',
  });
  files['libs/shared/index.js'] = 'export const loud = (text) => text.toUpperCase();\n';
  return files;
}
