import { apiKeyRow } from '../../../lib/core/items/api-keys.ts';
import { buildPlace, buildPlaces } from '../../../lib/core/items/build-places.ts';
import { countWaiting } from '../../../lib/core/items/deployment-rows.ts';
import { deploymentRow } from '../../../lib/core/items/items.ts';
import { countAll } from '../../../lib/store/counts.ts';
import { buildPlaceKey } from '../../../lib/store/keys/counts.ts';
import * as keys from '../../../lib/store/keys/index.ts';
import type { QueryCase } from './query-cases.ts';

/** As many as were counted. */
const times = (count: number): unknown[] => Array.from({ length: count });

/** Of what is counted. */
export const ofCounts: QueryCase[] = [
  {
    name: 'the builds of a tenant that run at once',
    file: 'lib/core/items/build-places.ts',
    shape: buildPlace,
    key: (id) => buildPlaceKey(id, 0),
    ask: buildPlaces,
  },
  {
    name: 'how many keys a tenant has',
    file: 'lib/store/counts.ts',
    shape: apiKeyRow,
    key: (id) => keys.apiKeyRowKey({ organizationId: 'organization', tenantId: id }, 'key'),
    ask: async (table, id) => times(await countAll(table, { tenantId: id }, 'keys')),
  },
  {
    name: 'how many revisions of a tenant wait',
    file: 'lib/core/items/deployment-rows.ts',
    shape: deploymentRow,
    key: (id) => keys.deploymentRowKey(id, 'deployment'),
    more: () => ({ waiting: 1 }),
    ask: async (table, id) => times(await countWaiting(table, id)),
  },
];
