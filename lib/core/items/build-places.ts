import * as z from 'zod';
import { collected } from '../../store/dynamodb/collected.ts';
import { absent, equals, guard, put } from '../../store/dynamodb/expressions.ts';
import { queryAll } from '../../store/dynamodb/reads.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { buildPlaceKey } from '../../store/keys/counts.ts';
import type { Table } from '../../store/table.ts';

/**
 * One of the places of a tenant's builds. Nobody gives it back: who finds none free looks which of their
 * builds are over, and takes the place of one of those.
 */
export const buildPlace = z.object({
  v: z.literal(1),
  entity: z.literal('build_place'),
  tenant_id: z.string(),
  place: z.int(),
  deployment_id: z.string(),
  revision_id: z.string(),
  /** What the build is called: a revision whose build was lost has another one. */
  build_name: z.string(),
});
export type BuildPlace = z.infer<typeof buildPlace>;

/** The places of a tenant's builds that are taken or were. */
export const buildPlaces = (table: Table, tenantId: string): Promise<BuildPlace[]> =>
  collected(queryAll(table, buildPlace, { pk: buildPlaceKey(tenantId, 0).pk }));

/** Takes a place: a free one, or that of a build that is over, as it was read. False: another was quicker. */
export async function takeBuildPlace(
  table: Table,
  place: Omit<BuildPlace, 'v' | 'entity'>,
  before: BuildPlace | undefined,
): Promise<boolean> {
  const item = { ...buildPlaceKey(place.tenant_id, place.place), v: 1, entity: 'build_place', ...place };
  const asRead = before === undefined ? absent('pk') : equals('build_name', before.build_name);
  try {
    await write(table, put('build_place', item, guard('build: its place as read', asRead)));
    return true;
  } catch (error) {
    if (error instanceof ConditionsFailed) return false;
    throw error;
  }
}
