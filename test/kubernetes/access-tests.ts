import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Client, clientAs, deployment, newNamespace, serving, statusOf, waitFor } from './client.ts';

type At = () => { client: Client; auditLog: string };

/** What a line of the audit log says of a request, as far as a role is about it. */
type Audited = {
  verb: string;
  user: { username: string };
  objectRef?: { resource?: string };
  annotations?: Record<string, string>;
};

async function usedBy(auditLog: string, user: string): Promise<string[]> {
  const lines = (await readFile(auditLog, 'utf8')).split('\n').slice(0, -1);
  const used = lines
    .map((line): Audited => JSON.parse(line))
    // Everybody may ask what kinds there are: no role is about that.
    .filter(({ user: by, objectRef }) => by.username === user && objectRef?.resource !== undefined)
    .map(({ verb, objectRef, annotations }) =>
      [verb, objectRef?.resource, annotations?.['authorization.k8s.io/decision']].join(' '),
    );
  return [...new Set(used)].toSorted();
}

async function newAccount(client: Client, namespace: string, name: string): Promise<Client> {
  await client.core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
  const body = { spec: { audiences: [], expirationSeconds: 3600 } };
  const { status } = await client.core.createNamespacedServiceAccountToken({ namespace, name, body });
  return clientAs(client, status?.token ?? '');
}

export function accessTests(at: At): void {
  describe.concurrent('access', () => {
    it('is what a Role grants, and is found in the audit log', async () => {
      const { client, auditLog } = at();
      const [namespace, foreign] = [await newNamespace(client), await newNamespace(client)];
      const limited = await newAccount(client, namespace, 'limited');
      const list = (where: string) => statusOf(limited.apps.listNamespacedDeployment({ namespace: where }));
      expect(await list(namespace)).toBe(403);
      const metadata = { namespace, name: 'limited' };
      const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'patch'] }];
      await client.access.createNamespacedRole({ namespace, body: { metadata, rules } });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'limited' };
      const subjects = [{ kind: 'ServiceAccount', namespace, name: 'limited' }];
      await client.access.createNamespacedRoleBinding({ namespace, body: { metadata, roleRef, subjects } });
      await waitFor('the role', async () => (await list(namespace)) === 200);
      expect(await list(foreign)).toBe(403);
      const made = deployment(namespace, 'web', 1, serving('any:1'));
      // Where nothing is yet, applying creates.
      expect(await statusOf(limited.apply(made))).toBe(403);
      await client.apply(made);
      expect(await statusOf(limited.apply(made))).toBe(200);
      const user = `system:serviceaccount:${namespace}:limited`;
      expect(await usedBy(auditLog, user)).toEqual([
        'list deployments allow',
        'list deployments forbid',
        'patch deployments allow',
      ]);
    });

    it('needs a token that is known', async () => {
      const { client } = at();
      expect(await statusOf(clientAs(client, 'wrong').core.listNamespace())).toBe(401);
    });
  });
}
