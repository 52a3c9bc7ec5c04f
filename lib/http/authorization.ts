import { refuse } from '../contract/errors.ts';
import { allows, type Permission } from '../contract/roles.ts';
import { lacksPermission } from '../core/identity/permission-refusals.ts';
import type { Middleware } from './exchange.ts';

/**
 * The caller's role must hold the route's permission; a listener's key opens the routes of its own listener
 * only.
 */
export const authorization = (permission: Permission): Middleware => ({
  before: ({ event, internal: { caller } }) => {
    if (caller === undefined) throw refuse('unauthenticated', {});
    if (!allows(caller.role, permission)) throw lacksPermission(caller, permission);
    if (permission !== 'listener:work') return;
    const id = event.pathParameters?.listener_id;
    if (id === undefined)
      throw new Error(`A route that needs '${permission}' has no path parameter 'listener_id'`);
    if (caller.listenerId === undefined || id.toLowerCase() !== caller.listenerId.toLowerCase()) {
      throw refuse('listener_forbidden', { id });
    }
  },
});
