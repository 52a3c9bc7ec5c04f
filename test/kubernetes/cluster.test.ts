import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { timed } from '../support/run/progress.ts';
import { accessTests } from './access-tests.ts';
import { type Client, clientFrom, newNamespace } from './client.ts';
import { controllerTests } from './controller-tests.ts';
import { logTests } from './log-tests.ts';
import { podEndTests, podRunTests, podStartTests } from './pod-tests.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const processes = new ProcessSupervisor();
let folder: string;
let cluster: Cluster;
let client: Client;
let namespace: string;

/** Kubernetes may have to be compiled first. */
const START_TIMEOUT_MS = 3_600_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-kubernetes-'));
  cluster = await timed('The test cluster starts', () => startCluster(processes, join(folder, 'cluster')));
  client = clientFrom(cluster.kubeconfig);
  namespace = await newNamespace(client);
}, START_TIMEOUT_MS);
afterAll(async () => {
  await processes.close();
  await rm(folder, { recursive: true, force: true });
});

const at = () => ({ client, namespace });
describe.concurrent('a pod before it starts', () => {
  podStartTests(at);
});
describe.concurrent('a pod that runs', () => {
  podRunTests(at);
});
describe.concurrent('a pod that is deleted', () => {
  podEndTests(at);
});
logTests(at);
controllerTests(() => ({ client }));
accessTests(() => ({ client, auditLog: cluster.auditLog }));

it('runs several at once, and ends', async () => {
  const other = await startCluster(processes, join(folder, 'other'));
  expect(other.url).not.toBe(cluster.url);
  const { version } = clientFrom(other.kubeconfig);
  expect(await version.getCode()).toMatchObject({ gitVersion: 'v1.36.3' });
  await other.stop();
  await expect(version.getCode()).rejects.toThrow();
});
