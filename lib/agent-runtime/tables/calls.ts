import { v7 } from 'uuid';
import type { WorkerOp } from '../queue/port.ts';
import type { Server } from '../queue/queue-store.ts';
import type { Query } from './database.ts';
import type { Json } from './rows.ts';

/** A call that a server of another build has made of this one's graphs. */
export type ClaimedCall = { call_id: string; op: WorkerOp; args: Json; epoch: number };

export type CallState = {
  status: 'pending' | 'running' | 'done' | 'failed';
  /** What the worker said; of a failed one an object `{error, message}`. */
  answer: Json | null;
};

/** A call that was claimed so long ago has died with its server. */
const LEASE_SECONDS = 60;
const KEPT_SECONDS = 600;

/** What may be done twice without a trace. */
const REPEATABLE: readonly WorkerOp[] = [
  'snapshot',
  'state',
  'history',
  'draw',
  'nodes',
  'schemas',
  'subgraphs',
];

export async function putCall(query: Query, buildId: string, op: WorkerOp, args: Json): Promise<string> {
  const callId = v7();
  await query(
    `insert into rt.calls (call_id, build_id, op, args) values ($1, $2, $3, $4) returning pg_notify('rt_wake', $2)`,
    [callId, buildId, op, args],
  );
  return callId;
}

export const claimCalls = (query: Query, server: Server, count: number): Promise<ClaimedCall[]> =>
  query<ClaimedCall>(
    `with due as (
      select call_id from rt.calls where build_id = $2 and status = 'pending'
      order by created_at limit $3 for update skip locked
    )
    update rt.calls c set status = 'running', lease_owner = $1, epoch = c.epoch + 1, updated_at = clock_timestamp(),
      lease_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
    from due where c.call_id = due.call_id returning c.call_id, c.op, c.args, c.epoch`,
    [server.owner, server.buildId, count],
  );

/** Writes the answer of a call, unless it is another server's by now. */
export async function endCall(
  query: Query,
  { owner }: Server,
  { call_id: callId, epoch }: ClaimedCall,
  { status, answer }: CallState,
): Promise<void> {
  await query(
    `update rt.calls set status = $4, answer = $5, lease_owner = null, lease_until = null, updated_at = clock_timestamp()
    where call_id = $1 and lease_owner = $2 and epoch = $3 and status = 'running'
    returning pg_notify('rt_ev', call_id::text)`,
    [callId, owner, epoch, status, answer],
  );
}

export async function findCall(query: Query, callId: string): Promise<CallState | undefined> {
  const [call] = await query<CallState>('select status, answer from rt.calls where call_id = $1', [callId]);
  return call;
}

/** Nobody waits for the answer any more; whether it had been taken up. */
export async function withdrawCall(query: Query, callId: string): Promise<boolean> {
  const gone = await query(`delete from rt.calls where call_id = $1 returning status`, [callId]);
  return gone[0]?.['status'] !== 'pending';
}

/**
 * Calls of servers that are gone: what only reads is made again, of what changes something nobody knows
 * whether it has.
 */
export async function takeOverCalls(query: Query): Promise<void> {
  await query(
    `with gone as (
      select call_id from rt.calls where status = 'running' and lease_until < clock_timestamp() for update skip locked
    )
    update rt.calls c set lease_owner = null, lease_until = null, updated_at = clock_timestamp(),
      status = case when c.op = any($1) then 'pending' else 'failed' end,
      answer = case when c.op = any($1) then null
        else '{"error":"CallLost","message":"Its server has ended meanwhile: look whether the change was made.","status":502}' end
    from gone where c.call_id = gone.call_id
    returning pg_notify('rt_ev', c.call_id::text), pg_notify('rt_wake', c.build_id)`,
    [REPEATABLE],
  );
}

export async function sweepCalls(query: Query): Promise<void> {
  await query(
    `delete from rt.calls where status in ('done', 'failed')
    and updated_at < clock_timestamp() - interval '${KEPT_SECONDS} seconds'`,
  );
}
