import { createHash } from 'node:crypto';
import type { DeploymentRef, RevisionRef } from '../../contract/refs.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { from } from '../dynamodb/sort-key-range.ts';

/**
 * Every key of the table. Each starts with the tenant or organization that owns the item, so code that forgot
 * a check still could not read across tenants; the exceptions are API keys, links to the console and logins
 * by their hashes, integrations and memberships by their ids and rules by their repository (they tell the
 * tenant), tokens of jobs that were exchanged, connections of sockets, refusals of callers of whom nothing is
 * known, the engine's leases, and the use of what all tenants share.
 *
 * | Question                                              | pk                     | sk                |
 * |-------------------------------------------------------|------------------------|-------------------|
 * | one deployment, by id                                 | T#tenant#D#deployment  | A                 |
 * | its revisions, newest first; one, by number           | T#tenant#D#deployment  | R#number          |
 * | how a hundred revisions ended (sets of numbers)       | T#tenant#D#deployment  | E#number / 100    |
 * | the configuration a revision ran                      | T#tenant#D#deployment  | C#version         |
 * | the secrets a revision ran (ciphertext)               | T#tenant#D#deployment  | S#version         |
 * | the secrets it was built with (ciphertext)            | T#tenant#D#deployment  | B#version         |
 * | the tarball that was uploaded under this id           | T#tenant#D#deployment  | U#upload          |
 * | the task token that waits for a revision              | T#tenant#D#deployment  | K#number          |
 * | its build or deploy log lines, in time's order         | T#tenant#D#deployment  | LOG#type#time     |
 * | up to when a log is written                           | T#tenant#D#deployment  | LOGEND#type       |
 * | is what serves healthy, and since when                | T#tenant#D#deployment  | HEALTH            |
 * | which threads wait in which of its revisions           | T#tenant#D#deployment  | THREADS           |
 * | what threads were ended or let go last                | T#tenant#D#deployment  | THREADS#NEWS      |
 * | who asked for its deletion, and how far that is        | T#tenant#D#deployment  | A#DELETION        |
 * | what was measured of it in a quarter of an hour        | T#tenant#ME#deployment | Q#quarter         |
 * | the same of an hour (both expire)                      | T#tenant#ME#deployment | H#hour            |
 * | what was counted of it in all (expires)                | T#tenant#MT            | deployment id     |
 * | who follows logs of a tenant (20 places; expires)      | T#tenant#F             | place             |
 * | is this deployment name taken                         | T#tenant#N#name        | A                 |
 * | is this agent's environment taken                     | T#tenant#G#agent#env   | A                 |
 * | a tenant's deployments, newest first (thin rows)      | T#tenant#DL            | deployment id     |
 * | those that are being deleted (thin rows)              | T#tenant#DX            | deployment id     |
 * | one listener, by id                                   | T#tenant#L#listener    | A                 |
 * | is it online, as far as was told                      | T#tenant#L#listener    | PRESENCE          |
 * | when it last called                                   | T#tenant#L#listener    | SEEN              |
 * | what it cannot measure                                | T#tenant#L#listener    | UNMEASURED        |
 * | which sockets is it rung at (expire)                  | T#tenant#L#listener    | BELL#instance     |
 * | the tasks it may claim or holds                       | T#tenant#L#listener    | OPEN#task         |
 * | a task that ended (expires)                           | T#tenant#L#listener    | DONE#task         |
 * | what should run on it                                 | T#tenant#L#listener    | P#deployment      |
 * | has what should run there changed (8 counters)        | T#tenant#L#listener    | P!0..7            |
 * | what it has reported that changed nothing             | T#tenant#L#listener    | P!REPORTED        |
 * | which deployment has this host there                  | T#tenant#L#listener    | H#host            |
 * | a tenant's listeners, oldest first (thin rows)        | T#tenant#LL            | listener id       |
 * | is this compute id taken                              | T#tenant#LC#compute id | A                 |
 * | which listener is the marked default                  | T#tenant#LM            | A                 |
 * | how was this request answered (expires)               | T#tenant#I#sha256      | A                 |
 * | a tenant's integrations, newest first; one, by id     | T#tenant#IN            | integration id    |
 * | a tenant's webhooks, newest first; one, by id          | T#tenant#WH            | webhook id        |
 * | up to where its events are shared out, and who works   | T#tenant#W#webhook     | CURSOR            |
 * | what one deployment still has to deliver there         | T#tenant#W#webhook     | Q#deployment      |
 * | attempts to deliver, newest first (expire)             | T#tenant#W#webhook     | D#delivery        |
 * | which tenant has this integration                     | IN#integration         | A                 |
 * | its deliveries, newest first (expire)                 | T#tenant#PD#integration | L#delivery record |
 * | has this delivery been counted (expires)              | T#tenant#PD#integration | I#sha256          |
 * | which deployments build pushes to this repository     | T#tenant#PR#sha256     | D#deployment      |
 * | with which tokens are its heads asked                 | T#tenant#PR#sha256     | H#integration     |
 * | who did what, newest first (expires)                  | T#tenant#AU            | event id          |
 * | the same of no one tenant; of no organization         | O#org#AU; I#AU         | event id          |
 * | who was refused in this hour (expires)                | the same, with AR      | hour#kind         |
 * | how many events has this deployment had               | T#tenant#E#deployment  | COUNT             |
 * | those that could not be published yet                 | T#tenant#E#deployment  | U#sequence        |
 * | is this event of something else numbered (expires)    | T#tenant#E#its id      | M#event id        |
 * | a tenant's events, in their order (expire)            | T#tenant#EV            | number            |
 * | how many events has this tenant had                   | T#tenant#EV            | COUNT             |
 * | who holds this API key                                | K#sha256               | A                 |
 * | what does this link to the console open (expires)    | KC#sha256              | A                 |
 * | which login has this program begun (expires)          | DL#sha256              | A                 |
 * | which login does a person mean with a code (expires)  | DU#scrypt              | A                 |
 * | how many logins, and wrong codes of one (expires)     | DN#kind#sha256         | A                 |
 * | a tenant's API keys, newest first (thin rows)         | T#tenant#KL            | key id            |
 * | an organization's own API keys, newest first          | O#org#KL               | key id            |
 * | what is this user in a tenant; a tenant's members     | T#tenant#M             | member id         |
 * | which tokens of jobs does a tenant take; one rule     | T#tenant#TR            | rule id           |
 * | which rules are about this repository (thin rows)     | TR#sha256              | tenant#rule       |
 * | has this token been exchanged (expires)               | TJ#sha256              | A                 |
 * | how many of a kind has this tenant; this organization | T#tenant#CT; O#org#CT | kind             |
 * | which builds of this tenant run at once              | T#tenant#B             | place             |
 * | in which tenants is this user a member (thin rows)    | M#member id            | tenant id         |
 * | whose socket is this connection (expires)             | WS#connection id       | A                 |
 * | an organization's tenants, newest first (thin rows)   | O#org#TL               | tenant id         |
 * | an organization's OAuth providers; one, by its name   | O#org#OP               | provider id       |
 * | a user's OAuth tokens, by provider, person and agent  | T#tenant#OT#sha256     | provider#sha256#token |
 * | whose is this OAuth token, and where does it lie      | T#tenant#OI#token      | A                 |
 * | which agents are connected to it                      | T#tenant#OI#token      | C#connection      |
 * | a user's connections of an agent                      | T#tenant#OC#agent      | sha256#connection |
 * | a token that is still to be revoked at its provider   | T#tenant#OR#token      | revocation id     |
 * | how far is this request for consent (expires)        | T#tenant#OA#request    | A                 |
 * | one tenant; one organization                          | T#tenant; O#org        | A                 |
 * | which sweep works on this part of the index           | SWEEP#due#0..7         | A                 |
 * | which embedded runtime runs on this table             | OWNER                  | A                 |
 * | how much of the balancer of all agents is in use      | COMPUTE                | USE               |
 *
 * Those of the audit are made in audit.ts, of events in events.ts, of what should run on a listener in
 * placements.ts, of what builds pushes in pushes.ts, of counts in counts.ts, of what was measured in
 * metrics.ts; those of API keys by their hashes, of members, of tenants, and of OAuth providers and tokens in
 * core/items; what one feature alone stores has its keys in the store.ts of that feature.
 *
 * Index `due` (sparse, keys only): due_pk = due#0..7, due_at = epoch milliseconds: what does sweep have to
 * look at? due_pk = due#revocations: what has to be revoked at providers? due_pk = due#heads:
 * of which repositories do the heads have to be asked?
 */
export type Key = { pk: string; sk: string };

const NUMBER_DIGITS = 10;
export const padded = (value: number): string => String(value).padStart(NUMBER_DIGITS, '0');

export const deploymentPk = (tenantId: string, deploymentId: string): string =>
  `T#${tenantId}#D#${deploymentId}`;
const listenerPk = (tenantId: string, listenerId: string): string => `T#${tenantId}#L#${listenerId}`;

export const deploymentKey = (tenantId: string, deploymentId: string): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: 'A',
});

/** The key of a deployment as it was read. */
export const deploymentKeyOf = (item: { tenant_id: string; id: string }): Key =>
  deploymentKey(item.tenant_id, item.id);

export const revisionKey = (tenantId: string, deploymentId: string, number: number): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `R#${padded(number)}`,
});

/** `hundred`: revisions' numbers divided by a hundred. Sorts before them, so it is purged before them. */
export const revisionEndsKey = ({ tenantId, deploymentId }: DeploymentRef, hundred: number): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `E#${padded(hundred)}`,
});

/** The key at which the revision of this id would be. */
export const revisionKeyOf = (ref: RevisionRef): Key =>
  revisionKey(ref.tenantId, ref.deploymentId, numberOf(ref.revisionId));

export const configurationKey = (tenantId: string, deploymentId: string, version: number): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `C#${padded(version)}`,
});

export const secretsKey = (tenantId: string, deploymentId: string, version: number): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `S#${padded(version)}`,
});

export const buildSecretsKey = (tenantId: string, deploymentId: string, version: number): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `B#${padded(version)}`,
});

export const uploadKey = (tenantId: string, deploymentId: string, uploadId: string): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `U#${uploadId}`,
});

export const tokenKey = (tenantId: string, deploymentId: string, number: number): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `K#${padded(number)}`,
});

export const nameKey = (tenantId: string, name: string): Key => ({ pk: `T#${tenantId}#N#${name}`, sk: 'A' });

export const agentKey = (tenantId: string, agentId: string, environment: string): Key => ({
  pk: `T#${tenantId}#G#${agentId}#${environment}`,
  sk: 'A',
});

export const deploymentRowKey = (tenantId: string, deploymentId: string): Key => ({
  pk: `T#${tenantId}#DL`,
  sk: deploymentId,
});

/** The list row of a deployment while it is being deleted: apart, so that the list skips nothing. */
export const deletedRowKey = (tenantId: string, deploymentId: string): Key => ({
  pk: `T#${tenantId}#DX`,
  sk: deploymentId,
});

export const deletionKey = (tenantId: string, deploymentId: string): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: 'A#DELETION',
});

/** The sort keys of everything that lies beside a deployment and its deletion, which come first. */
export const besideDeployment = from('B');

export const listenerKey = (tenantId: string, listenerId: string): Key => ({
  pk: listenerPk(tenantId, listenerId),
  sk: 'A',
});

export const lastSeenKey = (tenantId: string, listenerId: string): Key => ({
  pk: listenerPk(tenantId, listenerId),
  sk: 'SEEN',
});

export const openTaskKey = (tenantId: string, listenerId: string, taskId: string): Key => ({
  pk: listenerPk(tenantId, listenerId),
  sk: `OPEN#${taskId}`,
});

/** The key of an open task as it was read. */
export const openTaskKeyOf = (task: { tenant_id: string; listener_id: string; id: string }): Key =>
  openTaskKey(task.tenant_id, task.listener_id, task.id);

export const doneTaskKey = (tenantId: string, listenerId: string, taskId: string): Key => ({
  pk: listenerPk(tenantId, listenerId),
  sk: `DONE#${taskId}`,
});

export const hostKey = (tenantId: string, listenerId: string, host: string): Key => ({
  pk: listenerPk(tenantId, listenerId),
  sk: `H#${host}`,
});

export const listenerRowKey = (tenantId: string, listenerId: string): Key => ({
  pk: `T#${tenantId}#LL`,
  sk: listenerId,
});

export const computeIdKey = (tenantId: string, computeId: string): Key => ({
  pk: `T#${tenantId}#LC#${computeId}`,
  sk: 'A',
});

export const defaultListenerKey = (tenantId: string): Key => ({ pk: `T#${tenantId}#LM`, sk: 'A' });

/** `scopeHash`: of who asked what under which key. */
export const idempotencyRecordKey = (tenantId: string, scopeHash: string): Key => ({
  pk: `T#${tenantId}#I#${scopeHash}`,
  sk: 'A',
});

export const integrationKey = (tenantId: string, integrationId: string): Key => ({
  pk: `T#${tenantId}#IN`,
  sk: integrationId,
});

/** Without a tenant the key is the organization's own. */
export const apiKeyRowKey = (
  owner: { organizationId: string; tenantId: string | undefined },
  keyId: string,
): Key => ({
  pk: owner.tenantId === undefined ? `O#${owner.organizationId}#KL` : `T#${owner.tenantId}#KL`,
  sk: keyId,
});

/** Prefixes of sort keys, for queries over one kind of item in a partition. */
export const prefix = {
  revision: 'R#',
  openTask: 'OPEN#',
  placement: 'P#',
  placementVersion: 'P!',
} as const;

const DUE_SHARDS = 8;
const dueShard = (shard: number): string => `due#${shard}`;

/** The partitions of the index `due`, but for that of what other schedules look at. */
export const dueShards: readonly string[] = Array.from({ length: DUE_SHARDS }, (_, shard) => dueShard(shard));

/** The index attributes of an item that sweep must look at from `dueAt` (epoch milliseconds) on. */
export function due(partitionKey: string, dueAt: number): { due_pk: string; due_at: number } {
  const shard = (createHash('sha256').update(partitionKey).digest()[0] ?? 0) % DUE_SHARDS;
  return { due_pk: dueShard(shard), due_at: dueAt };
}

export const followerSlotKey = (tenantId: string, slot: number): Key => ({
  pk: `T#${tenantId}#F`,
  sk: String(slot).padStart(2, '0'),
});

export const sweepLeaseKey = (partition: string): Key => ({ pk: `SWEEP#${partition}`, sk: 'A' });

export const ownerLeaseKey = (): Key => ({ pk: 'OWNER', sk: 'A' });

/** Of whichever tenant: hosts know its id alone. */
export const integrationOwnerKey = (integrationId: string): Key => ({ pk: `IN#${integrationId}`, sk: 'A' });
