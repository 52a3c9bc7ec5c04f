/** What a deployment has once, whichever set serves. */

export { needsStore } from './environment.ts';
export { renderNetworkPolicy } from './network-policy.ts';
export { type RenderedPostgres, renderPostgres } from './postgres.ts';
export { type RenderedRedis, renderRedis } from './redis.ts';
export { addressOf, type HTTPRoute, renderRoute } from './route.ts';
export { renderService } from './service.ts';
export { renderServiceAccount } from './service-account.ts';
