import { RefusedError } from '../tables/errors.ts';
import type { CancelAction, RunRow } from '../tables/rows.ts';
import { cancelRun, deleteRun, findRun, listRuns, notFound } from '../tables/runs.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';
import { createRunOf } from './new-run.ts';
import { type Call, countIn, flagIn, type Handler, idIn, json } from './request.ts';
import { answerOutput, eventBefore, locationsOf, streamRun } from './streams.ts';
import { threadIn } from './threads.ts';
import { listOf, runView } from './views.ts';

const createHandler: Handler = async (agent, call) => {
  const { run } = await createRunOf(agent, call);
  return { body: runView(run), headers: locationsOf(run) };
};

const streamHandler: Handler = async (agent, call) => {
  const { run, asked } = await createRunOf(agent, call);
  const cancelsOnDisconnect = asked.on_disconnect === 'cancel';
  return streamRun(agent, call, run, { after: 0, cancelsOnDisconnect, headers: locationsOf(run, 'stream') });
};

const waitHandler: Handler = async (agent, call) => {
  const { run, asked } = await createRunOf(agent, call);
  const cancelsOnDisconnect = asked.on_disconnect === 'cancel';
  return answerOutput(agent, call, run, { cancelsOnDisconnect, headers: locationsOf(run, 'join') });
};

/** The run in the path, of a thread that the client may have. Throws a 404. */
async function runIn(
  agent: Agent,
  call: Call,
  action: 'read' | 'update' | 'delete' = 'read',
): Promise<RunRow> {
  const runId = idIn(call, 'run_id');
  const { thread_id: threadId } = await threadIn(agent, call, action);
  const run = await findRun(agent.database, runId, threadId);
  if (run === undefined) throw notFound(runId);
  return run;
}

const listHandler: Handler = async (agent, call) => {
  const { thread_id: threadId } = await threadIn(agent, call);
  const status = call.query.get('status');
  const runs = await listRuns(agent.database, threadId, {
    limit: countIn(call, 'limit', { otherwise: 10, most: 1_000 }),
    offset: countIn(call, 'offset', { otherwise: 0, most: 999_999_999 }),
    ...(status !== null && { status }),
  });
  const select = call.query.getAll('select');
  return json(listOf(runs.map((run) => runView(run, select.length === 0 ? undefined : select))));
};

/** Whoever may cancel a run by going away may do more than read. */
const joinedRun = async (agent: Agent, call: Call): Promise<RunRow> =>
  runIn(agent, call, flagIn(call, 'cancel_on_disconnect') ? 'update' : 'read');

const joinHandler: Handler = async (agent, call) => {
  const run = await joinedRun(agent, call);
  const cancelsOnDisconnect = flagIn(call, 'cancel_on_disconnect');
  return answerOutput(agent, call, run, { cancelsOnDisconnect, headers: locationsOf(run, 'join') });
};

const joinStreamHandler: Handler = async (agent, call) => {
  const run = await joinedRun(agent, call);
  // Clients that name none send an empty one.
  const modes = call.query.getAll('stream_mode').filter((mode) => mode !== '');
  return streamRun(agent, call, run, {
    after: await eventBefore(agent, call, run.run_id),
    cancelsOnDisconnect: flagIn(call, 'cancel_on_disconnect'),
    ...(modes.length > 0 && { modes }),
    headers: locationsOf(run, 'stream'),
  });
};

function actionIn({ query }: Call): CancelAction {
  const action = query.get('action') ?? 'interrupt';
  if (action !== 'interrupt' && action !== 'rollback')
    throw new HttpError(422, `action: ${action.slice(0, 100)} is neither interrupt nor rollback`);
  return action;
}

const cancelHandler: Handler = async (agent, call) => {
  const action = actionIn(call);
  const run = await runIn(agent, call, 'update');
  try {
    await cancelRun(agent.database, { threadId: run.thread_id, runId: run.run_id }, action);
  } catch (error) {
    // It has ended meanwhile, which is what is wanted.
    const ended = error instanceof RefusedError && error.refusal === 'run-ended' && isLive(run);
    if (!ended) throw error;
  }
  if (flagIn(call, 'wait') && (await findRun(agent.database, run.run_id)) === undefined) return json('{}');
  if (flagIn(call, 'wait'))
    return answerOutput(agent, call, run, { cancelsOnDisconnect: false, headers: locationsOf(run, 'join') });
  return { status: 202, body: '' };
};

const isLive = ({ status }: RunRow): boolean => status === 'pending' || status === 'running';

const deleteHandler: Handler = async (agent, call) => {
  const { thread_id: threadId, run_id: runId } = await runIn(agent, call, 'delete');
  await deleteRun(agent.database, { threadId, runId });
  return { status: 204, body: '' };
};

export const runRoutes: readonly (readonly [string, string, Handler])[] = [
  ...['/threads/:thread_id', ''].flatMap((thread): (readonly [string, string, Handler])[] => [
    ['POST', `${thread}/runs`, createHandler],
    ['POST', `${thread}/runs/stream`, streamHandler],
    ['POST', `${thread}/runs/wait`, waitHandler],
  ]),
  ['GET', '/threads/:thread_id/runs', listHandler],
  ['GET', '/threads/:thread_id/runs/:run_id', async (agent, call) => json(runView(await runIn(agent, call)))],
  ['GET', '/threads/:thread_id/runs/:run_id/join', joinHandler],
  ['GET', '/threads/:thread_id/runs/:run_id/stream', joinStreamHandler],
  ['POST', '/threads/:thread_id/runs/:run_id/cancel', cancelHandler],
  ['DELETE', '/threads/:thread_id/runs/:run_id', deleteHandler],
];
