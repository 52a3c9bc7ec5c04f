import { describe, expect, it } from 'vitest';
import { isRefused, requestsOf, rightAskedBy, rightsTaken } from './audit.ts';
import { type Client, clientAs, deployment, newNamespace, serving, statusOf, waitFor } from './client.ts';

type At = () => { client: Client; auditLog: string };

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
      const requests = await requestsOf(auditLog, user);
      const asked = requests.map((each) => `${rightAskedBy(each)}: ${isRefused(each) ? 'refused' : 'taken'}`);
      expect([...new Set(asked)].toSorted()).toEqual([
        'apps/deployments list: refused',
        'apps/deployments list: taken',
        'apps/deployments patch: refused',
        'apps/deployments patch: taken',
      ]);
      expect(rightsTaken(requests)).toEqual(['apps/deployments list', 'apps/deployments patch']);
    });

    it('needs a token that is known', async () => {
      const { client } = at();
      expect(await statusOf(clientAs(client, 'wrong').core.listNamespace())).toBe(401);
    });
  });
}
