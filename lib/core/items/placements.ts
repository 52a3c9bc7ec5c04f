import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ListenerRef } from '../../contract/refs.ts';
import { ownAddress } from '../../contract/validation/text.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { guard, present, put, remove, same, update } from '../../store/dynamodb/expressions.ts';
import { find, queryAll, queryPage } from '../../store/dynamodb/reads.ts';
import { type SortKeyRange, startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import { prefix } from '../../store/keys/index.ts';
import { placementKey, placementsReportedKey, placementVersionKeys } from '../../store/keys/placements.ts';
import type { Table } from '../../store/table.ts';
import type { Deployment } from './items.ts';

/** One row of a listener's `desired`. */
export const placement = z.object({
  tenant_id: z.string(),
  v: z.literal(2),
  entity: z.literal('placement'),
  deployment_id: z.string(),
  revision_id: z.string().optional(),
  epoch: z.int(),
  held: z.boolean(),
  /** The deployment's own address; null: it has none. */
  custom_url: z.string().nullable(),
  /** Revisions whose waiting threads were let go; absent: none. */
  release_threads: z.array(z.string()).optional(),
  /** Nothing shall run, and no dump of its database shall stay. */
  delete_data: z.literal(true).optional(),
});
export type Placement = z.infer<typeof placement>;

/** The second version may have `release_threads` and `delete_data`. */
export const anyPlacement = alsoEarlier(placement, 2);

/**
 * Counts the changes of a share of a listener's placements, and of what it has reported of them: whoever has
 * seen the sums needs no look at the placements themselves. One item would make all deployments of a listener
 * wait for each other.
 */
export const placementVersion = z.object({
  v: z.literal(1),
  entity: z.literal('placement_version'),
  tenant_id: z.string(),
  placed: z.int().optional(),
  reported: z.int().optional(),
});

/**
 * What a listener has reported that changed nothing: the same again, while the versions are the same, changes
 * nothing either.
 */
export const reportedPlacements = z.object({
  v: z.literal(1),
  entity: z.literal('placements_reported'),
  tenant_id: z.string(),
  /**
   * Digests of reports with the versions at that time, the newest first, with how many of them were accepted.
   */
  digests: z.array(z.tuple([z.string(), z.int()])),
});

const versionItem = z.discriminatedUnion('entity', [placementVersion, reportedPlacements]);

export type PlacementState = {
  /** Changes whenever a placement does. */
  placed: string;
  /** Changes when that does, or when a report has changed something. */
  reported: string;
  digests: readonly (readonly [digest: string, accepted: number])[];
};

/** How a listener's placements and reports are, for the price of one small read however many there are. */
export async function placementState(
  table: Table,
  { tenantId, listenerId }: ListenerRef,
): Promise<PlacementState> {
  const { pk } = placementsReportedKey(tenantId, listenerId);
  const { items } = await queryPage(table, versionItem, {
    pk,
    between: startingWith(prefix.placementVersion),
  });
  return stateOf(items);
}

function stateOf(items: z.infer<typeof versionItem>[]): PlacementState {
  const versions = items.filter((item) => item.entity === 'placement_version');
  const sum = (numbers: (number | undefined)[]) =>
    numbers.reduce<number>((total, each = 0) => total + each, 0);
  const placed = sum(versions.map((item) => item.placed));
  const reported = sum(versions.map((item) => item.reported));
  const memory = items.find((item) => item.entity === 'placements_reported');
  return { placed: `${placed}`, reported: `${placed}.${reported}`, digests: memory?.digests ?? [] };
}

const anyOfPlacements = z.union([versionItem, anyPlacement]);

/**
 * What should run on a listener, and its version, which was read first: what changes meanwhile is read again
 * with the next one.
 */
export async function placementsOn(
  table: Table,
  { tenantId, listenerId }: ListenerRef,
): Promise<{ version: string; placements: Placement[] }> {
  const { pk, sk: from } = placementKey(tenantId, listenerId, '');
  const between = [prefix.placementVersion, startingWith(from)[1]] satisfies SortKeyRange;
  const items = await collected(queryAll(table, anyOfPlacements, { pk, between }));
  const placements = items.filter((item) => item.entity === 'placement');
  return { version: stateOf(items.filter((item) => item.entity !== 'placement')).placed, placements };
}

export const findPlacement = (
  table: Table,
  { tenantId, listenerId }: ListenerRef,
  deploymentId: string,
): Promise<Placement | undefined> =>
  find(table, placementKey(tenantId, listenerId, deploymentId), anyPlacement);

/**
 * What the listener should run of this deployment from now on, and at which address: written under
 * `addressStays` if it runs anything. `deletesData`: where it shall run nothing, no dump of its database
 * shall stay.
 */
export function place(
  deployment: Deployment,
  revisionId: string | undefined,
  epoch: number,
  held: boolean,
  { deletesData = false } = {},
): Write[] {
  const { tenant_id: tenantId, listener_id: listenerId, id } = deployment;
  const fixed = { entity: 'placement', v: 2, tenant_id: tenantId, deployment_id: id };
  const placed = update('placement', placementKey(tenantId, listenerId, id), {
    set: {
      ...fixed,
      epoch,
      held,
      revision_id: revisionId,
      custom_url: ownAddress(deployment.config.custom_url),
      ...(deletesData && { delete_data: true }),
    },
    ...(revisionId === undefined && { remove: ['revision_id', 'release_threads'] }),
  });
  return [placed, counted({ tenantId, listenerId }, id, 'placed')];
}

/**
 * A request may give the deployment another address of its own at any time, under no epoch: `place` must not
 * take that back.
 */
export const addressStays = ({ config }: Deployment) =>
  guard('address: as read', same('config.custom_url', config.custom_url));

/** The deployment has another address of its own; only where it has a placement. */
export const replaceAddress = (
  { tenantId, listenerId }: ListenerRef,
  deploymentId: string,
  address: string | null,
): Write[] => [
  update(
    'placement',
    placementKey(tenantId, listenerId, deploymentId),
    { set: { custom_url: address } },
    present('pk'),
  ),
  counted({ tenantId, listenerId }, deploymentId, 'placed'),
];

/** The threads that wait in these revisions were let go, and those of no others any more. */
export function replaceReleases(
  { tenantId, listenerId }: ListenerRef,
  deploymentId: string,
  revisionIds: readonly string[],
): Write[] {
  const isNone = revisionIds.length === 0;
  return [
    update(
      'placement',
      placementKey(tenantId, listenerId, deploymentId),
      {
        set: { v: 2, ...(!isNone && { release_threads: revisionIds }) },
        ...(isNone && { remove: ['release_threads'] }),
      },
      present('pk'),
    ),
    counted({ tenantId, listenerId }, deploymentId, 'placed'),
  ];
}

/** The listener has nothing to do with the deployment any more. */
export const removePlacement = ({ tenantId, listenerId }: ListenerRef, deploymentId: string): Write[] => [
  remove('placement', placementKey(tenantId, listenerId, deploymentId)),
  counted({ tenantId, listenerId }, deploymentId, 'placed'),
];

/** Notes that a report has changed what is known of a deployment. */
export const countReport = ({ tenant_id: tenantId, listener_id: listenerId, id }: Deployment): Write =>
  counted({ tenantId, listenerId }, id, 'reported');

function counted(
  { tenantId, listenerId }: ListenerRef,
  deploymentId: string,
  what: 'placed' | 'reported',
): Write {
  const keys = placementVersionKeys(tenantId, listenerId);
  const key = keys[(createHash('sha256').update(deploymentId).digest()[0] ?? 0) % keys.length];
  if (key === undefined) throw new Error('a listener has no item for the versions of its placements');
  const set = { v: 1, entity: 'placement_version', tenant_id: tenantId };
  return update('placement_version', key, { set, add: { [what]: 1 } });
}

/** A listener reports everything in a few requests, and single changes between. */
const DIGESTS_MAX = 20;

/** Remembers that reports with this digest have changed nothing. */
export function rememberReports(
  { tenantId, listenerId }: ListenerRef,
  { digests }: PlacementState,
  digest: string,
  accepted: number,
): Write {
  const set = { v: 1, entity: 'placements_reported', tenant_id: tenantId };
  const kept = [[digest, accepted], ...digests].slice(0, DIGESTS_MAX);
  return put('placements_reported', {
    ...placementsReportedKey(tenantId, listenerId),
    ...set,
    digests: kept,
  });
}

/** Everything that lies beside a listener's placements, to be removed with it. */
export const removeVersions = (tenantId: string, listenerId: string): Write[] =>
  [...placementVersionKeys(tenantId, listenerId), placementsReportedKey(tenantId, listenerId)].map(
    (key, index) => remove(`placement_version_${index}`, key),
  );
