import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/adapters/clock.ts';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { findListener } from '../../../lib/core/items/listeners.ts';
import { ensureCredentials, ensureListener } from '../../../lib/embedded/runtime/identity.ts';
import { remove } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { computeIdKey, listenerKey, listenerRowKey } from '../../../lib/store/keys/index.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const URL = 'http://localhost:4400';

async function place() {
  return { deps: { table: await freshTable(), clock: systemClock }, folder: await temporaryFolder() };
}

const portIs = (port: number) => async () => port;

describe('the first key', () => {
  it('is made once, is an administrator’s, and lies in a file of its owner', async () => {
    const { deps, folder } = await place();
    const { credentials } = await ensureCredentials(deps, folder, URL);
    const file = join(folder, 'credentials.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(credentials);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const caller = await authenticateCaller(deps, { apiKey: credentials.api_key, tenantId: undefined });
    expect(caller).toMatchObject({ role: 'organization_admin', tenantId: credentials.tenant_id });
    const later = await ensureCredentials(deps, folder, 'http://localhost:5000');
    expect(later.credentials).toEqual({ ...credentials, base_url: 'http://localhost:5000' });
  });

  it('that was lost is replaced by another one of the same tenant', async () => {
    const { deps, folder } = await place();
    const { credentials: before } = await ensureCredentials(deps, folder, URL);
    await rm(join(folder, 'credentials.json'));
    const { credentials: after } = await ensureCredentials(deps, folder, URL);
    expect(after.tenant_id).toBe(before.tenant_id);
    expect(after.api_key).not.toBe(before.api_key);
    await authenticateCaller(deps, { apiKey: after.api_key, tenantId: undefined });
  });

  it('of a table that was deleted is replaced together with its tenant', async () => {
    const { deps, folder } = await place();
    const { credentials: before } = await ensureCredentials(deps, folder, URL);
    const empty = { ...deps, table: await freshTable() };
    const { credentials: after } = await ensureCredentials(empty, folder, URL);
    expect(after.tenant_id).not.toBe(before.tenant_id);
    await authenticateCaller(empty, { apiKey: after.api_key, tenantId: undefined });
  });
});

describe('the listener of this machine', () => {
  it('is registered once, with a key that speaks for it alone', async () => {
    const { deps, folder } = await place();
    const { owner } = await ensureCredentials(deps, folder, URL);
    const first = await ensureListener(deps, folder, owner, portIs(4401));
    const listener = await findListener(deps.table, owner.tenant_id, first.listener_id);
    expect(listener).toMatchObject({ compute_type: 'process', compute_id: 'local' });
    const caller = await authenticateCaller(deps, { apiKey: first.api_key, tenantId: undefined });
    expect(caller).toMatchObject({ role: 'listener', listenerId: first.listener_id });
    expect((await stat(join(folder, 'listener.json'))).mode & 0o777).toBe(0o600);
    const ports: (number | undefined)[] = [];
    const second = await ensureListener(deps, folder, owner, async (before) => {
      ports.push(before);
      return 4402;
    });
    expect(ports).toEqual([4401]);
    expect(second).toEqual({ ...first, agents_port: 4402 });
  });

  it('stays the same when its file was lost', async () => {
    const { deps, folder } = await place();
    const { owner } = await ensureCredentials(deps, folder, URL);
    const first = await ensureListener(deps, folder, owner, portIs(4401));
    await rm(join(folder, 'listener.json'));
    const second = await ensureListener(deps, folder, owner, portIs(4401));
    expect(second.listener_id).toBe(first.listener_id);
    expect(second.api_key).not.toBe(first.api_key);
  });

  it('is registered anew when somebody has deleted it', async () => {
    const { deps, folder } = await place();
    const { owner } = await ensureCredentials(deps, folder, URL);
    const first = await ensureListener(deps, folder, owner, portIs(4401));
    const { tenant_id: tenantId } = owner;
    const stored = [listenerKey, listenerRowKey].map((keyOf) => keyOf(tenantId, first.listener_id));
    const keys = [...stored, computeIdKey(tenantId, 'local')];
    await transact(
      deps.table,
      keys.map((key) => remove('stored', key)),
    );
    const second = await ensureListener(deps, folder, owner, portIs(4401));
    expect(await findListener(deps.table, tenantId, second.listener_id)).toMatchObject({
      compute_id: 'local',
    });
  });
});
