import type { DeploymentStatus, RevisionStatus } from '../../lib/contract/revision-status.ts';
import type { ListenerStatus } from '../../lib/features/listeners/shape.ts';

/** Green serves, blue moves, amber needs somebody, red is broken, grey waits or is past. */
export type Tone = 'ok' | 'busy' | 'bad' | 'idle' | 'warn';
export type Shape = 'disc' | 'spinner' | 'cross' | 'ring' | 'triangle' | 'bar';
export type Look = { tone: Tone; shape: Shape; word: string };

/** What webhooks, their deliveries and grants at OAuth providers can be. */
type OtherStatus = 'ENABLED' | 'DISABLED' | 'PENDING' | 'DELIVERED' | 'FAILED' | 'active' | 'expired';

/** The one place that says how a status looks, everywhere. Never by colour alone: shape and word say it too. */
const looks: Record<RevisionStatus | DeploymentStatus | ListenerStatus | OtherStatus, Look> = {
  CREATING: { tone: 'busy', shape: 'spinner', word: 'Creating' },
  QUEUED: { tone: 'idle', shape: 'ring', word: 'Queued' },
  AWAITING_BUILD: { tone: 'busy', shape: 'spinner', word: 'Waiting to build' },
  BUILDING: { tone: 'busy', shape: 'spinner', word: 'Building' },
  AWAITING_DEPLOY: { tone: 'busy', shape: 'spinner', word: 'Waiting to deploy' },
  DEPLOYING: { tone: 'busy', shape: 'spinner', word: 'Deploying' },
  CREATE_FAILED: { tone: 'bad', shape: 'cross', word: 'Create failed' },
  BUILD_FAILED: { tone: 'bad', shape: 'cross', word: 'Build failed' },
  DEPLOY_FAILED: { tone: 'bad', shape: 'cross', word: 'Deploy failed' },
  DEPLOYED: { tone: 'ok', shape: 'disc', word: 'Deployed' },
  SKIPPED: { tone: 'idle', shape: 'bar', word: 'Skipped' },
  INTERRUPTED: { tone: 'idle', shape: 'bar', word: 'Stopped' },
  UNKNOWN: { tone: 'warn', shape: 'triangle', word: 'Unknown' },
  UNUSED: { tone: 'idle', shape: 'ring', word: 'Not serving' },
  READY: { tone: 'ok', shape: 'disc', word: 'Serving' },
  AWAITING_DELETE: { tone: 'busy', shape: 'spinner', word: 'Being deleted' },
  ONLINE: { tone: 'ok', shape: 'disc', word: 'Online' },
  OFFLINE: { tone: 'bad', shape: 'cross', word: 'Offline' },
  NEVER_SEEN: { tone: 'idle', shape: 'ring', word: 'Never seen' },
  ENABLED: { tone: 'ok', shape: 'disc', word: 'Enabled' },
  DISABLED: { tone: 'bad', shape: 'cross', word: 'Disabled' },
  PENDING: { tone: 'busy', shape: 'spinner', word: 'Pending' },
  DELIVERED: { tone: 'ok', shape: 'disc', word: 'Delivered' },
  FAILED: { tone: 'bad', shape: 'cross', word: 'Failed' },
  active: { tone: 'ok', shape: 'disc', word: 'Active' },
  expired: { tone: 'bad', shape: 'cross', word: 'Expired' },
};

/** How a status looks; one that this version does not know is shown by its own name. */
export function lookOf(status: string): Look {
  const known: Record<string, Look> = looks;
  if (Object.hasOwn(known, status) && known[status] !== undefined) return known[status];
  const word = status.toLowerCase().replaceAll('_', ' ');
  return { tone: 'warn', shape: 'triangle', word: word.charAt(0).toUpperCase() + word.slice(1) };
}

const moving: ReadonlySet<string> = new Set([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'UNKNOWN',
] satisfies RevisionStatus[]);

/** Whether a revision may still change by itself. */
export const isMoving = (status: string): boolean => moving.has(status);

/** The statuses that the list can be filtered by, as they are offered. */
export const servingStatuses = [
  'READY',
  'UNKNOWN',
  'UNUSED',
  'AWAITING_DELETE',
] as const satisfies DeploymentStatus[];
