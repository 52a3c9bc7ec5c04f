/** What `npm run pack:client` packs. */
export { type Client, createClient, isEnded } from './client.ts';
export type * from './endpoints.ts';
export { type FieldProblem, Refusal } from './refusal.ts';
export type { ClientOptions, Credentials, RequestOptions } from './request.ts';
