import { expect } from 'vitest';
import { machine, type open } from './wired-world.ts';

/** Each route of keys, members and tenants, to its success. */
export async function expectIdentity({ ask }: Pick<Awaited<ReturnType<typeof open>>, 'ask'>): Promise<void> {
  const { id: listener_id } = await ask('createListener', { body: machine });
  await ask('createApiKey', { body: { name: 'l', role: 'listener', listener_id } });
  const { id: key_id } = await ask('createApiKey', { body: { name: 'k', role: 'viewer' } });
  await ask('listApiKeys');
  await ask('revokeApiKey', { params: { key_id } });
  const { id: member_id } = await ask('putMember', { body: { user_id: 'someone', role: 'viewer' } });
  await ask('listMembers');
  await ask('removeMember', { params: { member_id } });
  await ask('createTenant', { body: { name: 'other' } });
  await ask('listTenants');
  await ask('listEvents');
  await ask('listActivity');
  await ask('listAttention');
}

/** The routes by which a person signs in to the console, and out of it. */
export async function expectConsoleSessions({
  ask,
  refused,
  wire,
  keyOf,
  tenantId,
}: Pick<Awaited<ReturnType<typeof open>>, 'ask' | 'refused' | 'wire' | 'keyOf' | 'tenantId'>): Promise<void> {
  expect(await ask('getMe')).toMatchObject({ role: 'organization_admin', is_session: false });
  expect(await ask('getMe', { key: await keyOf('viewer', 'organization') })).toMatchObject({
    tenant_id: null,
    tenants: [{ id: tenantId }],
  });
  await ask('getSignIn');
  const { url } = await ask('createConsoleLink');
  const code = url.split('#code=')[1] ?? '';
  const { api_key: key } = await ask('createConsoleSession', { key: undefined, body: { code } });
  await wire.refuse('console_code_refused', {}, 'createConsoleSession', { body: { code } });
  const me = await ask('getMe', { key });
  expect(me).toMatchObject({ role: 'organization_admin', is_session: true, tenants: [{ id: tenantId }] });
  await refused('state_forbids', /makes no other/, 'createConsoleLink', { key });
  await ask('deleteConsoleSession', { key });
  await refused('unauthenticated', {}, 'getMe', { key });
  await refused('state_forbids', /no session of the console/, 'deleteConsoleSession');
}
