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
}
