import type { RouteRow } from '../contract/routes/route.ts';
import { exchangeOf, type Step } from './exchange.ts';

export type AccessLogger = {
  debug(message: string, fields: Record<string, unknown>): void;
  info(message: string, fields: Record<string, unknown>): void;
};

/** Routes that clients and listeners call again and again: one line each at INFO would cost more than the work. */
const isPolled = (row: Pick<RouteRow, 'method' | 'permission' | 'area'>): boolean =>
  row.method === 'GET' || row.permission === 'listener:work' || row.area === 'logs';

/** One line a request: which operation, by whom, how it ended, how long it took. Identifiers only. */
export function accessLog(row: RouteRow, log: () => AccessLogger): Step {
  const startedAt = new WeakMap<object, number>();
  const write: NonNullable<Step['after']> = ({ event, response }) => {
    const { requestId, caller } = exchangeOf(event);
    const fields = {
      operation: row.operation,
      request_id: requestId,
      status: response?.statusCode,
      duration_ms: Math.round(performance.now() - (startedAt.get(event) ?? performance.now())),
      tenant_id: caller?.tenantId,
      key_id: caller?.keyId,
    };
    if (isPolled(row)) log().debug('request', fields);
    else log().info('request', fields);
  };
  return {
    before: ({ event }) => {
      startedAt.set(event, performance.now());
    },
    after: write,
    onError: write,
  };
}
