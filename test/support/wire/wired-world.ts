import { create as createHeads } from '../../../functions/schedules/heads.ts';
import type { Registry } from '../../../lib/adapters/registry.ts';
import type { Role } from '../../../lib/contract/roles.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { createListenerKey } from '../../../lib/features/api-keys/create-as-operator.ts';
import { bootstrap } from '../../../lib/features/tenants/bootstrap.ts';
import { offered } from '../world/listening.ts';
import { aWorld } from '../world/world.ts';
import { openWire, type Request, type WireRecord } from './wire.ts';

/** The id of nobody and nothing. */
export const NOBODY = '01890000-0000-7000-8000-00000000abcd';

export const machine = { compute_type: 'process', compute_id: 'machine', compute_config: {} };

/** A listener of a cluster. */
export const k8s = (compute_id: string, ...k8s_namespaces: string[]) => ({
  compute_type: 'k8s',
  compute_id,
  compute_config: { k8s_namespaces },
});
/** A deployment without anything to build yet. */
export const empty = (name: string, source = 'internal_source') => ({
  name,
  source,
  source_config: {},
  source_revision_config: {},
});

/** A registry with the same login for everything. */
function registryAt(registryHost: string): Registry {
  const login = { registryHost, username: 'AWS', password: 'secret', expiresAt: '2026-11-21T23:29:13.000Z' };
  return {
    pushLogin: async ({ deploymentId }) => ({ ...login, repository: `${registryHost}/${deploymentId}` }),
    pullLogin: async () => login,
  };
}

/**
 * A tenant with its first key, and its endpoints; with a registry at a host if one is given, and with agents
 * that the installation runs itself. `changes` stand for dependencies.
 */
export async function open(
  record: WireRecord,
  {
    registryHost,
    managedCompute,
    ...changes
  }: { registryHost?: string; managedCompute?: 'ecs' } & Partial<Deps> = {},
) {
  const bare = await aWorld({ registryHost, ...(managedCompute && { managedCompute }) });
  await record.opened(bare.deps);
  const heads = createHeads(() => bare.deps);
  bare.deps.headWaker = { wake: async (head) => void (await heads(head)) };
  const registry = registryHost === undefined ? undefined : registryAt(registryHost);
  const { apiKey, ...ids } = await bootstrap(bare.deps, { organization: 'acme', tenant: 'main' });
  const world = bare.as({ ...ids, role: 'organization_admin' });
  const wire = await openWire({ ...world.deps, registry, ...changes }, record);
  const ask = (operation: string, request: Request = {}) => wire.ask(operation, { key: apiKey, ...request });
  const refused: typeof wire.refuse = (code, how, operation, request) =>
    wire.refuse(code, how, operation, { key: apiKey, ...request });
  const keyOf = (role: Role, of: 'tenant' | 'organization' = 'tenant') => {
    const tenantId = of === 'tenant' ? ids.tenantId : undefined;
    return issueApiKey(world.deps, { ...ids, tenantId, role, name: role });
  };
  const keyFor = (listenerId: string) =>
    createListenerKey(world.deps, { tenantId: ids.tenantId, listenerId });
  return { world, wire, ask, refused, apiKey, keyOf, keyFor, ...ids };
}

/** The same, with a listener and a key of its own. */
export async function openWithListener(record: WireRecord) {
  const opened = await open(record);
  const { id: listenerId } = await opened.ask('createListener', { body: machine });
  const listenerKey = await opened.keyFor(listenerId);
  const offer = (name: string) => offered({ ...opened.world, listenerId }, name);
  return { ...opened, listenerId, listenerKey, offer };
}
