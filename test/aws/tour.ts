import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { RevisionStatus } from '../../lib/contract/revision-status.ts';
import { ended, type ShownDeployment } from '../support/programs/program.ts';
import { say } from '../support/run/progress.ts';
import type { Cluster } from './cluster.ts';
import type { Executions } from './executions.ts';
import type { Deployed, Ground, Registered } from './installation.ts';

/** An id that nothing has. */
export const FOREIGN_ID = '00000000-0000-4000-8000-000000000000';
export const COMMIT = 'c'.repeat(40);
/** Functions start cold, and the emulator looks at streams once a second. */
const REVISION_TIMEOUT_MS = 240_000;

/** What the tests share: each goes on from what those before it left deployed. */
export type Tour = {
  ground: Ground;
  slipway: Deployed;
  executions: Executions;
  cluster: Cluster;
  /** The listener of the cluster. */
  clusterId: string;
  /** The listener of the machine, and its key. */
  machine: Registered;
  /** The listener program on that machine. */
  listener: { stop(): Promise<void> };
  /** One whose execution was aborted. */
  aborted: ShownDeployment;
};

/** Waits for the revision's end, which must be this one, and says in how many transitions it got there. */
export async function reaches(
  { slipway, executions }: Tour,
  status: RevisionStatus,
  { id }: { id: string },
  revisionId: string,
  transitionsMax: number,
): Promise<void> {
  const revision = await ended(slipway, id, revisionId, REVISION_TIMEOUT_MS);
  if (revision.status !== status) throw new Error(`${revision.status}: ${revision.status_message}`);
  const { states, count } = await executions.transitions(revisionId);
  say(`${status} in ${count} state transitions: ${states.join(', ')}`);
  expect(count).toBeLessThanOrEqual(transitionsMax);
}

export const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Stores a built folder where the job says, and gives what the builder exports of it. */
export async function storeFolder(
  job: Record<string, unknown>,
  content: Buffer,
): Promise<Record<string, string>> {
  const body = new Uint8Array(content);
  const { status } = await fetch(String(job.artifactUploadUrl), { method: 'PUT', body });
  expect(status).toBe(200);
  return {
    ARTIFACT_KEY: String(job.artifactKey),
    ARTIFACT_SERVER: 'other',
    ARTIFACT_SHA256: digest(content),
    ARTIFACT_SIZE_BYTES: String(content.length),
  };
}
