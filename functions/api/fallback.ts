import { routeKeys } from '../../lib/contract/routes/index.ts';
import { notFound } from '../../lib/http/endpoint.ts';

/** The `$default` route: what no row of the table took. */
export const create = () => notFound(routeKeys);
export const handler = create();
