import type { RevisionStatus } from '../contract/revision-status.ts';

/** The only transitions. Every write of a status gets its condition from this table; docs/api.md shows it. */
export const transitions: Record<RevisionStatus, readonly RevisionStatus[]> = {
  CREATING: ['QUEUED', 'CREATE_FAILED', 'SKIPPED', 'INTERRUPTED'],
  QUEUED: ['AWAITING_BUILD', 'AWAITING_DEPLOY', 'SKIPPED', 'INTERRUPTED', 'CREATE_FAILED'],
  AWAITING_BUILD: ['BUILDING', 'BUILD_FAILED', 'INTERRUPTED'],
  BUILDING: ['AWAITING_DEPLOY', 'BUILD_FAILED', 'INTERRUPTED'],
  AWAITING_DEPLOY: ['DEPLOYING', 'DEPLOY_FAILED', 'INTERRUPTED'],
  DEPLOYING: ['DEPLOYED', 'DEPLOY_FAILED', 'INTERRUPTED', 'UNKNOWN'],
  UNKNOWN: ['DEPLOYING', 'DEPLOYED', 'DEPLOY_FAILED', 'INTERRUPTED'],
  DEPLOYED: [],
  CREATE_FAILED: [],
  BUILD_FAILED: [],
  DEPLOY_FAILED: [],
  SKIPPED: [],
  INTERRUPTED: [],
};

/** What a revision has when it has ended. */
export const terminals = [
  'DEPLOYED',
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'SKIPPED',
  'INTERRUPTED',
] as const satisfies RevisionStatus[];
export type Terminal = (typeof terminals)[number];

export const isTerminal = (status: RevisionStatus): status is Terminal => transitions[status].length === 0;

/**
 * The statuses to write, in order, to get from one to another: those between included, the start not.
 * Undefined when the table has no way. The shortest way is the only sensible one: a success passes every
 * stage, a failure leaves its stage directly.
 */
export function pathBetween(from: RevisionStatus, to: RevisionStatus): RevisionStatus[] | undefined {
  const ways: RevisionStatus[][] = transitions[from].map((next) => [next]);
  const seen = new Set<RevisionStatus>([from]);
  for (const way of ways) {
    const last = way.at(-1);
    if (last === undefined || seen.has(last)) continue;
    if (last === to) return way;
    seen.add(last);
    ways.push(...transitions[last].map((next) => [...way, next]));
  }
  return undefined;
}

export type Stage = 'create' | 'build' | 'deploy';

/**
 * The stage a status belongs to, which names the failure when a step dies in it. Undefined for a terminal
 * one.
 */
export function stageOf(status: RevisionStatus): Stage | undefined {
  switch (status) {
    case 'CREATING':
    case 'QUEUED':
      return 'create';
    case 'AWAITING_BUILD':
    case 'BUILDING':
      return 'build';
    case 'AWAITING_DEPLOY':
    case 'DEPLOYING':
    case 'UNKNOWN':
      return 'deploy';
    default:
      return undefined;
  }
}

export const failureStatusOf = {
  create: 'CREATE_FAILED',
  build: 'BUILD_FAILED',
  deploy: 'DEPLOY_FAILED',
} as const;
