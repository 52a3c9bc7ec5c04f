import { createApiKey } from '../../../lib/app/api-keys/create.ts';
import { listApiKeys } from '../../../lib/app/api-keys/list.ts';
import { revokeApiKey } from '../../../lib/app/api-keys/revoke.ts';
import { authenticate } from '../../../lib/app/identity/authenticate.ts';
import { bootstrap } from '../../../lib/app/identity/bootstrap.ts';
import { listMembers } from '../../../lib/app/members/list.ts';
import { putMember } from '../../../lib/app/members/put.ts';
import { removeMember } from '../../../lib/app/members/remove.ts';
import { createTenant } from '../../../lib/app/tenants/create.ts';
import { listTenants } from '../../../lib/app/tenants/list.ts';
import * as rows from '../../../lib/contract/routes/identity.ts';
import type { World } from './world.ts';

/** Requests on keys, members and tenants as clients send them: bodies and queries go through the schemas of their routes. */
type Plane = Pick<World, 'deps' | 'caller'>;
type Query = Record<string, string>;

export const makeKey = async (plane: Plane, body: unknown) =>
  createApiKey(plane.deps, { body: rows.createApiKey.body.parse(body) }, plane.caller);

export const keys = (plane: Plane, query: Query = {}) =>
  listApiKeys(plane.deps, { query: rows.listApiKeys.query.parse(query) }, plane.caller);

export const revoke = (plane: Plane, id: string) =>
  revokeApiKey(plane.deps, { params: { key_id: id } }, plane.caller);

export const makeTenant = async (plane: Plane, name: string) =>
  createTenant(plane.deps, { body: rows.createTenant.body.parse({ name }) }, plane.caller);

export const tenants = (plane: Plane, query: Query = {}) =>
  listTenants(plane.deps, { query: rows.listTenants.query.parse(query) }, plane.caller);

export const giveRole = async (plane: Plane, userId: string, role: string) =>
  putMember(plane.deps, { body: rows.putMember.body.parse({ user_id: userId, role }) }, plane.caller);

export const members = (plane: Plane, query: Query = {}) =>
  listMembers(plane.deps, { query: rows.listMembers.query.parse(query) }, plane.caller);

export const takeRole = (plane: Plane, id: string) =>
  removeMember(plane.deps, { params: { member_id: id } }, plane.caller);

/** The same installation, asked by who holds this key. */
export async function withKey(plane: World, apiKey: string, tenantId?: string): Promise<World> {
  return plane.as(await authenticate(plane.deps, { apiKey, tenantId }));
}

/** A new organization with its tenant, asked by its first key. */
export async function anOrganization(plane: World): Promise<World & { apiKey: string }> {
  const { apiKey } = await bootstrap(plane.deps, { organization: 'acme', tenant: 'main' });
  return { ...(await withKey(plane, apiKey)), apiKey };
}
