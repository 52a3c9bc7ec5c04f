import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { unkeyed } from '../../core/idempotency.ts';
import { authenticateCaller } from '../../core/identity/authenticate.ts';
import { issueApiKey } from '../../core/identity/issue-api-key.ts';
import { findListener, listenerRows } from '../../core/items/listeners.ts';
import { findTenant } from '../../core/items/tenants.ts';
import { createListener } from '../../features/listeners/create.ts';
import { bootstrap } from '../../features/tenants/bootstrap.ts';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import { limitDefaults } from '../../settings/defaults.ts';
import { isLocked } from '../data-folder/lock.ts';

type IdentityDeps = Pick<Deps, 'table' | 'clock'>;

const credentialsFile = z.object({ base_url: z.string(), api_key: z.string(), tenant_id: z.string() });
const ownerFile = z.object({ organization_id: z.string(), tenant_id: z.string(), user_id: z.string() });
const listenerFile = z.object({ listener_id: z.string(), api_key: z.string(), agents_port: z.number() });

type Owner = z.infer<typeof ownerFile>;
type Credentials = z.infer<typeof credentialsFile>;
export type ListenerIdentity = z.infer<typeof listenerFile>;

/** What the listener of this machine is called; one a tenant. */
const COMPUTE_ID = 'local';

async function readJson<T extends z.ZodType>(file: string, schema: T): Promise<z.output<T> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // Not there, or not ours: it is made anew.
  }
}

const writeJson = (file: string, value: object): Promise<void> =>
  writeFileAtomic(file, `${JSON.stringify(value, undefined, 2)}\n`);

/** Who the key speaks for; undefined when the table does not know it (any more). */
async function callerOf(deps: IdentityDeps, apiKey: string): Promise<Caller | undefined> {
  try {
    return await authenticateCaller(deps, { apiKey, tenantId: undefined });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The owner of this installation: the kept one, else who the kept key speaks for, else a new one. */
async function ensureOwner(
  deps: IdentityDeps,
  dataFolder: string,
  kept: Caller | undefined,
): Promise<{ owner: Owner; apiKey: string | undefined }> {
  const file = join(dataFolder, 'owner.json');
  const known = await readJson(file, ownerFile);
  if (kept !== undefined) {
    const { organizationId: organization_id, tenantId: tenant_id, userId: user_id } = kept;
    const owner = { organization_id, tenant_id, user_id };
    if (known === undefined) await writeJson(file, owner);
    return { owner, apiKey: undefined };
  }
  if (known !== undefined && (await hasTenant(deps, known.tenant_id)))
    return { owner: known, apiKey: undefined };
  const made = await bootstrap(deps, { organization: 'local', tenant: 'local' });
  const owner = { organization_id: made.organizationId, tenant_id: made.tenantId, user_id: made.userId };
  await writeJson(file, owner);
  return { owner, apiKey: made.apiKey };
}

/** A data folder whose table was deleted starts from nothing. */
async function hasTenant(deps: IdentityDeps, tenantId: string): Promise<boolean> {
  return (await findTenant(deps.table, tenantId)) !== undefined;
}

/** Makes tenant and administrator's key at the first start, and keeps `credentials.json` up to date. */
export async function ensureCredentials(
  deps: IdentityDeps,
  dataFolder: string,
  baseUrl: string,
): Promise<{ credentials: Credentials; owner: Owner }> {
  const file = join(dataFolder, 'credentials.json');
  const kept = await readJson(file, credentialsFile);
  const caller = kept && (await callerOf(deps, kept.api_key));
  const { owner, apiKey } = await ensureOwner(deps, dataFolder, caller);
  const stillGood = caller === undefined ? undefined : kept?.api_key;
  const key = stillGood ?? apiKey ?? (await newKey(deps, owner));
  const credentials = { base_url: baseUrl, api_key: key, tenant_id: owner.tenant_id };
  await writeJson(file, credentials);
  return { credentials, owner };
}

const newKey = (deps: IdentityDeps, owner: Owner): Promise<string> =>
  issueApiKey(deps, { ...wishOf(owner), role: 'organization_admin', name: 'local administrator' });

/** Where the instance that runs on a data folder answers, and its administrator's key; undefined when none does. */
export async function runningAccess(
  dataFolder: string,
): Promise<{ url: string; apiKey: string } | undefined> {
  if (!isLocked(dataFolder)) return undefined;
  const kept = await readJson(join(dataFolder, 'credentials.json'), credentialsFile);
  return kept && { url: kept.base_url, apiKey: kept.api_key };
}

const wishOf = (owner: Owner) => ({
  organizationId: owner.organization_id,
  tenantId: owner.tenant_id,
  userId: owner.user_id,
});

/**
 * Registers the listener of this machine at the first start, and keeps its key and port in `listener.json`.
 */
export async function ensureListener(
  deps: IdentityDeps,
  dataFolder: string,
  owner: Owner,
  choosePort: (before: number | undefined) => Promise<number>,
): Promise<ListenerIdentity> {
  const file = join(dataFolder, 'listener.json');
  const kept = await readJson(file, listenerFile);
  const caller = kept && (await callerOf(deps, kept.api_key));
  const agents_port = await choosePort(kept?.agents_port);
  const own =
    kept !== undefined && caller?.tenantId === owner.tenant_id && caller.listenerId === kept.listener_id;
  // Somebody may have deleted it; its key says nothing of that.
  const known = own && (await findListener(deps.table, owner.tenant_id, kept.listener_id)) !== undefined;
  const identity = known ? { ...kept, agents_port } : { ...(await register(deps, owner)), agents_port };
  await writeJson(file, identity);
  return identity;
}

async function register(deps: IdentityDeps, owner: Owner): Promise<{ listener_id: string; api_key: string }> {
  const listenerId = (await findLocal(deps, owner.tenant_id)) ?? (await createLocal(deps, owner));
  const wish = { ...wishOf(owner), role: 'listener', listenerId, name: 'local listener' } as const;
  return { listener_id: listenerId, api_key: await issueApiKey(deps, wish) };
}

async function findLocal(deps: IdentityDeps, tenantId: string): Promise<string | undefined> {
  for await (const listener of listenerRows(deps.table, tenantId)) {
    if (listener.compute_id === COMPUTE_ID) return listener.id;
  }
  return undefined;
}

async function createLocal(deps: IdentityDeps, owner: Owner): Promise<string> {
  const body = {
    compute_type: 'process' as const,
    compute_id: COMPUTE_ID,
    compute_config: { k8s_namespaces: [] },
  };
  // However many listeners there are, this machine's own is there.
  const settings = { limits: { ...limitDefaults, listeners: Number.MAX_SAFE_INTEGER } };
  const asked = { ...deps, settings, idempotency: unkeyed };
  const listener = await createListener(asked, { body }, { ...wishOf(owner), keyId: 'local start' });
  return listener.id;
}
