import { expect } from 'vitest';
import type { open } from './wired-world.ts';

/** Each route of integrations, and the list of who did what, to its success. */
export async function expectIntegrations({
  ask,
}: Pick<Awaited<ReturnType<typeof open>>, 'ask'>): Promise<void> {
  const body = { type: 'github', token: 'never-shown', webhook_secret: 'never-shown' };
  const { id: integration_id } = await ask('createIntegration', { body });
  await ask('listIntegrations');
  expect(await ask('listInstalledIntegrations')).toMatchObject([{ id: integration_id }]);
  await ask('deleteIntegration', { params: { integration_id } });
  const { resources } = await ask('listAuditEvents', { query: { action: 'integration.delete' } });
  expect(resources).toMatchObject([{ resource_id: integration_id }]);
}
