import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { createApiKey } from '../../../lib/features/api-keys/create.ts';
import { listApiKeys } from '../../../lib/features/api-keys/list.ts';
import { revokeApiKey } from '../../../lib/features/api-keys/revoke.ts';
import * as keyRows from '../../../lib/features/api-keys/routes.ts';
import { listMembers } from '../../../lib/features/members/list.ts';
import { putMember } from '../../../lib/features/members/put.ts';
import { removeMember } from '../../../lib/features/members/remove.ts';
import * as memberRows from '../../../lib/features/members/routes.ts';
import { bootstrap } from '../../../lib/features/tenants/bootstrap.ts';
import { createTenant } from '../../../lib/features/tenants/create.ts';
import { listTenants } from '../../../lib/features/tenants/list.ts';
import * as tenantRows from '../../../lib/features/tenants/routes.ts';
import type { World } from './world.ts';

/**
 * Requests on keys, members and tenants as clients send them: bodies and queries go through the schemas of
 * their routes.
 */
type Asking = Pick<World, 'deps' | 'caller'>;
type Query = Record<string, string>;

export const makeKey = async (world: Asking, body: unknown) =>
  createApiKey(world.deps, { body: keyRows.createApiKey.body.parse(body) }, world.caller);

export const keys = (world: Asking, query: Query = {}) =>
  listApiKeys(world.deps, { query: keyRows.listApiKeys.query.parse(query) }, world.caller);

export const revoke = (world: Asking, id: string) =>
  revokeApiKey(world.deps, { params: { key_id: id } }, world.caller);

export const makeTenant = async (world: Asking, name: string) =>
  createTenant(world.deps, { body: tenantRows.createTenant.body.parse({ name }) }, world.caller);

export const tenants = (world: Asking, query: Query = {}) =>
  listTenants(world.deps, { query: tenantRows.listTenants.query.parse(query) }, world.caller);

export const giveRole = async (world: Asking, userId: string, role: string) =>
  putMember(world.deps, { body: memberRows.putMember.body.parse({ user_id: userId, role }) }, world.caller);

export const members = (world: Asking, query: Query = {}) =>
  listMembers(world.deps, { query: memberRows.listMembers.query.parse(query) }, world.caller);

export const takeRole = (world: Asking, id: string) =>
  removeMember(world.deps, { params: { member_id: id } }, world.caller);

/** The same installation, asked by who holds this key. */
export async function withKey(world: World, apiKey: string, tenantId?: string): Promise<World> {
  return world.as(await authenticateCaller(world.deps, { apiKey, tenantId }));
}

/** A new organization with its tenant, asked by its first key. */
export async function anOrganization(world: World): Promise<World & { apiKey: string }> {
  const { apiKey } = await bootstrap(world.deps, { organization: 'acme', tenant: 'main' });
  return { ...(await withKey(world, apiKey)), apiKey };
}
