import { expect } from 'vitest';
import * as z from 'zod';
import { gitRepository } from '../support/files/git-repository.ts';
import type { Files } from '../support/files/write-files.ts';
import { agentFiles, logOf, newThread } from '../support/programs/agents.ts';
import {
  create,
  deployed,
  ended,
  expectApi,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const BUILD_MS = 600_000;

/** Asks a person at a node of this name, and says their answer. */
const graphWith = (node: string): string => `from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    answer: str


def ask(state: State) -> dict:
    return {"answer": interrupt("yes or no?")}


builder = StateGraph(State)
builder.add_node("${node}", ask)
builder.add_edge(START, "${node}")
builder.add_edge("${node}", END)
graph = builder.compile()
`;

const AUTH = `from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict) -> str:
    if headers.get(b"x-own-key") != b"right":
        raise Auth.exceptions.HTTPException(status_code=401, detail="no")
    return "somebody"
`;

const OWN_KEY = { 'x-own-key': 'right' };

async function waitsIn({ url }: ShownDeployment, threadId: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/threads/${threadId}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ assistant_id: 'agent', input: {} }),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toHaveProperty('__interrupt__');
}

async function answered({ url }: ShownDeployment, threadId: string, answer: string): Promise<unknown> {
  const response = await fetch(`${url}/threads/${threadId}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id: 'agent', command: { resume: answer } }),
  });
  return response.json();
}

const shown = z.object({ runtime_resolved: z.string() });

/** A release that renames a node at which a thread of a real agent waits. */
export async function expectWaitingThreads(program: Program): Promise<void> {
  const files: Files = { ...(await agentFiles('shout-agent-python')), 'agent.py': graphWith('approve') };
  const repository = await gitRepository(files);
  const made = await create(program, 'waiting-threads', repository.url);
  await ended(program, made.id, made.latest_revision_id, BUILD_MS);
  const first = await deployed(program, made);
  expect(shown.parse(first).runtime_resolved).toBe('dev');
  const threads = [await newThread(first), await newThread(first)];
  for (const thread of threads) await waitsIn(first, thread);

  const refuse = { source_config: { on_release: { waiting: 'refuse' } } };
  await patch(program, made.id, refuse);
  await repository.commit({ 'agent.py': graphWith('confirm') });
  const refused = await patch(program, made.id, { source_revision_config: { repo_ref: 'main' } });
  const failed = await ended(program, made.id, refused.latest_revision_id, BUILD_MS);
  expect(failed).toMatchObject({
    status: 'DEPLOY_FAILED',
    status_message: expect.stringMatching(
      /^2 threads wait at `approve`, which this revision has not\. Nothing was moved/,
    ),
  });
  // They still wait where they did, and one is answered by the graph that it waits in.
  expect(await answered(first, threads[0] ?? '', 'yes')).toEqual({ answer: 'yes' });

  await patch(program, made.id, { source_config: { on_release: {} } });
  const warned = await patch(program, made.id, { source_revision_config: { repo_ref: 'main' } });
  const lost = '1 thread waits at `approve`, which this revision has not.';
  expect(await ended(program, made.id, warned.latest_revision_id, BUILD_MS)).toMatchObject({
    status: 'DEPLOYED',
    status_message: lost,
  });
  const log = await logOf(program, await deployed(program, warned), 'deploy');
  expect(log.map(({ message }) => message)).toContain(lost);
}

const withThreads = z.object({
  threads: z
    .object({ revisions: z.array(z.object({ revision_id: z.string(), waiting: z.int() })) })
    .nullable(),
});

/** How many threads wait in a revision, as the deployment shows it. */
async function waitingIn(
  program: Program,
  { id }: ShownDeployment,
  revisionId: string,
): Promise<number | undefined> {
  const { threads } = withThreads.parse(
    await expectApi<unknown>(program, 'GET', `/v2/deployments/${id}`, undefined, 200),
  );
  return threads === null
    ? undefined
    : (threads.revisions.find(({ revision_id }) => revision_id === revisionId)?.waiting ?? 0);
}

/**
 * A release of a durable agent that renames the node at which threads wait: its own code answers one, and one
 * that was let go by hand ends as an error that names the node.
 */
export async function expectPinnedThreads(program: Program): Promise<void> {
  const files: Files = { ...(await agentFiles('shout-agent-python')), 'agent.py': graphWith('approve') };
  const repository = await gitRepository(files);
  const made = await create(program, 'pinned-threads', repository.url, {
    source_config: { repo_url: repository.url, runtime: 'durable' },
  });
  await ended(program, made.id, made.latest_revision_id, BUILD_MS);
  const first = await deployed(program, made);
  expect(shown.parse(first).runtime_resolved).toBe('durable');
  const [own, released] = [await newThread(first), await newThread(first)];
  for (const thread of [own, released]) await waitsIn(first, thread);

  await repository.commit({ 'agent.py': graphWith('confirm') });
  const renamed = await patch(program, made.id, { source_revision_config: { repo_ref: 'main' } });
  expect(await ended(program, made.id, renamed.latest_revision_id, BUILD_MS)).toMatchObject({
    status: 'DEPLOYED',
    status_message: null,
  });
  const counts = (waiting: number) =>
    until(async () => (await waitingIn(program, made, made.latest_revision_id)) === waiting, {
      what: `${waiting} threads to wait in the first revision`,
    });
  await counts(2);
  expect(await answered(first, own, 'yes')).toEqual({ answer: 'yes' });
  await counts(1);
  const path = `/v2/deployments/${made.id}/revisions/${made.latest_revision_id}/release-threads`;
  await expectApi(program, 'POST', path, undefined, 202);
  await counts(0);
  expect(await answered(first, released, 'yes')).toEqual({
    __error__: { error: 'NodeNotFound', message: expect.stringContaining("goes on at node 'approve'") },
  });
}

/** The same of an agent that shows its threads to whoever has a key of its own. */
export async function expectHiddenThreads(program: Program): Promise<void> {
  const example = await agentFiles('shout-agent-python');
  const files: Files = {
    ...example,
    'agent.py': graphWith('approve'),
    'auth.py': AUTH,
    'langgraph.json': String(example['langgraph.json']).replace(
      '"graphs"',
      '"auth": { "path": "./auth.py:auth" },\n  "graphs"',
    ),
  };
  const repository = await gitRepository(files);
  const made = await create(program, 'hidden-threads', repository.url);
  await ended(program, made.id, made.latest_revision_id, BUILD_MS);
  const first = await deployed(program, made);
  const created = await fetch(`${first.url}/threads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...OWN_KEY },
    body: '{}',
  });
  const { thread_id: thread } = z.object({ thread_id: z.string() }).parse(await created.json());
  await waitsIn(first, thread, OWN_KEY);
  await patch(program, made.id, { source_config: { on_release: { waiting: 'refuse' } } });
  await repository.commit({ 'agent.py': graphWith('confirm') });
  const refused = await patch(program, made.id, { source_revision_config: { repo_ref: 'main' } });
  expect(await ended(program, made.id, refused.latest_revision_id, BUILD_MS)).toMatchObject({
    status: 'DEPLOY_FAILED',
    status_message: expect.stringMatching(/not known: the agent asks for credentials of its own/),
  });
}
