import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Files } from './git-repository.ts';
import { expectApi, type Program, type ShownDeployment } from './program.ts';

const examples = new URL('../../examples/', import.meta.url);

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
      return [name, text.replace(/VERSION = (['"])v1\1/, `VERSION = $1${version}$1`)] as const;
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
