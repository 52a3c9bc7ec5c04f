import type { Deployment } from '../../core/items/items.ts';
import type { Measured } from '../../domain/metrics/shown.ts';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../domain/metrics/times.ts';
import { numberOf } from '../../domain/revision-id.ts';
import type { MetricsView } from './shape.ts';

type Now = NonNullable<MetricsView['now']>;

/** What was told last, of what serves if that told anything, without its revision's id. */
export type Latest = { revision: number; view: Omit<Now, 'revision_id'> };

/** Undefined: nothing was told within the time. `measured`: of the last day, in the order of time. */
export function latestOf(
  { active }: Pick<Deployment, 'active'>,
  measured: readonly Measured[],
  now: number,
): Latest | undefined {
  const serving = active && numberOf(active.revision_id);
  const last = measured.findLast(({ revision }) => revision === serving) ?? measured.at(-1);
  if (last === undefined) return undefined;
  const isFresh = last.at >= now - HOUR_MILLISECONDS - MINUTE_MILLISECONDS;
  const counts = isFresh ? last.counts : {};
  return {
    revision: last.revision,
    view: {
      at: new Date(last.at).toISOString(),
      in_flight: counts.in_flight ?? null,
      streams: counts.streams ?? null,
      servers_wanted: counts.servers_wanted ?? null,
      servers_ready: counts.servers_ready ?? null,
      cpu_cores: counts.cpu_cores ?? null,
      cpu_limit: counts.cpu_limit ?? null,
      memory_bytes: counts.memory_bytes ?? null,
      memory_limit: counts.memory_limit ?? null,
      ...restartsOf(measured),
    },
  };
}

function restartsOf(measured: readonly Measured[]): Pick<Now, 'restarts_day' | 'last_restart'> {
  const told = measured.flatMap(({ at, counts: { restarts } }) =>
    restarts === undefined ? [] : [{ at, restarts }],
  );
  if (told.length === 0) return { restarts_day: null, last_restart: null };
  const all = told.flatMap(({ at, restarts }) => restarts.map((each) => ({ at, ...each })));
  const happened = all.filter(({ count }) => count > 0);
  const last = happened.at(-1);
  return {
    restarts_day: happened.reduce((sum, { count }) => sum + count, 0),
    last_restart: last === undefined ? null : { at: new Date(last.at).toISOString(), reason: last.reason },
  };
}
