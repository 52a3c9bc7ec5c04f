/** What a deployment has once, whichever set serves. */

export { needsStore } from './environment.ts';
export { renderNetworkPolicy } from './network-policy.ts';
export { renderPostgres } from './postgres.ts';
export { renderRedis } from './redis.ts';
export { addressOf, renderRoute } from './route.ts';
export { renderService } from './service.ts';
export { renderServiceAccount } from './service-account.ts';
