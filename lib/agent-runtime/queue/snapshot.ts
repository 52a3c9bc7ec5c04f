import { membersOf } from '../tables/raw-json.ts';
import type { Json } from '../tables/rows.ts';
import type { Snapshot } from './port.ts';

/** The run that wrote the newest checkpoint, by its metadata in the thread's state. */
export function writerOf({ state = '{}' }: Snapshot): string | undefined {
  const metadata = membersOf(state).get('metadata') ?? '{}';
  const runId = membersOf(metadata).get('run_id');
  return runId === undefined ? undefined : String(JSON.parse(runId));
}

/** Takes the worker's answer to `snapshot` apart; throws when it is none. */
export function snapshotOf(text: Json): Snapshot {
  const members = membersOf(text);
  const next: unknown = JSON.parse(members.get('next') ?? 'null');
  const values = members.get('values');
  const isList = Array.isArray(next) && next.every((node) => typeof node === 'string');
  if (!isList || values === undefined)
    throw new Error(`a worker answers 'snapshot' by {values, next, …}, not ${text.slice(0, 200)}`);
  const state = members.get('state');
  return {
    values,
    next,
    interrupts: members.get('interrupts') ?? '{}',
    ...(state !== undefined && { state }),
  };
}
