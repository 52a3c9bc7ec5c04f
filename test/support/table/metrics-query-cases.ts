import {
  hoursIn,
  metricsHour,
  metricsQuarter,
  metricsTotals,
  minutesIn,
  totalsOf,
} from '../../../lib/core/items/metrics.ts';
import { collected } from '../../../lib/store/dynamodb/collected.ts';
import { metricsHourKey, metricsTotalsKey, quarterKey } from '../../../lib/store/keys/metrics.ts';
import type { QueryCase } from './query-cases.ts';

const TENANT = 'tenant';
const file = 'lib/core/items/metrics.ts';
const of = (id: string) => ({ tenantId: TENANT, deploymentId: id });

/** Of what was measured. */
export const ofMetrics: QueryCase[] = [
  {
    name: 'minutes of a deployment',
    file,
    shape: metricsQuarter,
    key: (id) => quarterKey(of(id), 5),
    more: () => ({ counts: { '3_1_abcd': 'i5' } }),
    ask: (table, id) => minutesIn(table, of(id), { from: 4, to: 5 }),
  },
  {
    name: 'hours of a deployment',
    file,
    shape: metricsHour,
    key: (id) => metricsHourKey(of(id), 5),
    more: () => ({ revisions: { 1: 'i5' } }),
    ask: (table, id) => hoursIn(table, of(id), { from: 5, to: 6 }),
  },
  {
    name: 'totals of the deployments of a tenant',
    file,
    shape: metricsTotals,
    key: (id) => metricsTotalsKey({ tenantId: id, deploymentId: 'deployment' }),
    ask: (table, id) => collected(totalsOf(table, id)),
  },
];
