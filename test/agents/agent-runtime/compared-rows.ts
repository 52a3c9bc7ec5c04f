import type { Database } from '../../../lib/agent-runtime/tables/database.ts';
import type { ModelTables } from '../../simulation/agents/model.ts';

/** Runs and threads as PostgreSQL has them, but for times and documents that nothing reads. */
export async function storedRows(database: Database) {
  const runs = await database.query(
    `select r.run_id, r.thread_id, r.build_id, r.revision_id, r.status, r.ready, r.attempt, r.failures, r.epoch,
        r.lease_owner, r.cancel, r.output, r.error,
        (select count(*) from rt.run_events e where e.run_id = r.run_id) as events
      from rt.runs r order by run_id`,
  );
  const threads = await database.query(
    `select thread_id, status, next, "values", error, waits, build_id, revision_id from rt.threads order by thread_id`,
  );
  return { runs, threads };
}

/** Those of the model, in the same form. */
export function modelledRows(model: ModelTables) {
  const runs = [...model.runs.values()].map((run) => ({
    run_id: run.runId,
    thread_id: run.threadId,
    build_id: run.buildId,
    revision_id: run.revisionId,
    status: run.status,
    ready: run.ready,
    attempt: run.attempt,
    failures: run.failures,
    epoch: run.epoch,
    lease_owner: run.owner,
    cancel: run.cancel,
    output: run.output,
    error: run.error,
    events: model.events.get(run.runId)?.length ?? 0,
  }));
  const threads = [...model.threads.values()].map((thread) => ({
    thread_id: thread.threadId,
    status: thread.status,
    next: thread.next,
    values: thread.values,
    error: thread.error,
    waits: thread.waits,
    build_id: thread.buildId,
    revision_id: thread.revisionId,
  }));
  return {
    runs: runs.sort((a, b) => (a.run_id < b.run_id ? -1 : 1)),
    threads: threads.sort((a, b) => (a.thread_id < b.thread_id ? -1 : 1)),
  };
}
