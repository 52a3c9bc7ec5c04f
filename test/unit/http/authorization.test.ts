import { describe, expect, it } from 'vitest';
import type { Permission, Role } from '../../../lib/contract/roles.ts';
import type { Caller } from '../../../lib/core/caller.ts';
import { authorization } from '../../../lib/http/authorization.ts';
import { apiEvent } from '../../support/http/event.ts';
import { stepRequest } from '../../support/http/step.ts';
import { aCaller } from '../../support/world/caller.ts';

const OWN = '0190a000-0000-7000-8000-00000000000a';

async function authorize(permission: Permission, caller: Partial<Caller> | undefined, listenerId?: string) {
  const event = apiEvent(listenerId === undefined ? {} : { params: { listener_id: listenerId } });
  const internal = caller === undefined ? {} : { caller: aCaller(caller) };
  await authorization(permission).before?.(stepRequest(event, { internal }));
}

describe('authorization', () => {
  it.each<[Role, Permission]>([
    ['viewer', 'deployments:read'],
    ['developer', 'deployments:write'],
    ['admin', 'listeners:write'],
    ['organization_admin', 'listeners:write'],
  ])('lets a %s use %s', async (role, permission) => {
    await expect(authorize(permission, { role })).resolves.toBeUndefined();
  });

  it.each<[Role, Permission]>([
    ['viewer', 'deployments:write'],
    ['developer', 'listeners:write'],
    ['admin', 'listener:work'],
    ['organization_admin', 'listener:work'],
    ['listener', 'deployments:read'],
  ])('refuses a %s %s', async (role, permission) => {
    await expect(authorize(permission, { role }, OWN)).rejects.toMatchObject({
      status: 403,
      message: `API key lacks permission '${permission}'`,
    });
  });

  it('says of who has no key what their role is', async () => {
    const caller = { role: 'viewer', maker: { kind: 'bearer' } } as const;
    await expect(authorize('deployments:write', caller)).rejects.toMatchObject({
      status: 403,
      message: "The user, whose role is 'viewer', lacks permission 'deployments:write'",
    });
  });

  it('opens only the listener’s own routes', async () => {
    const caller = { role: 'listener', listenerId: OWN } as const;
    await expect(authorize('listener:work', caller, OWN.toUpperCase())).resolves.toBeUndefined();
    const other = OWN.replace(/a$/, 'b');
    await expect(authorize('listener:work', caller, other)).rejects.toMatchObject({
      code: 'listener_forbidden',
    });
    await expect(authorize('listener:work', caller)).rejects.toThrow("no path parameter 'listener_id'");
    await expect(
      authorize('listener:work', { role: 'listener', listenerId: undefined }, OWN),
    ).rejects.toMatchObject({
      code: 'listener_forbidden',
    });
  });

  it('refuses where nobody has been authenticated', async () => {
    await expect(authorize('deployments:read', undefined)).rejects.toMatchObject({ status: 401 });
  });
});
