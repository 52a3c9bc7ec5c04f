import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiServer, Refused } from '../../lib/compute/kubernetes/api-server.ts';
import type { ServerSpec } from '../../lib/compute/kubernetes/render/context.ts';
import { problemsOf } from '../../lib/compute/kubernetes/render/problems.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { goodSpec } from '../property/contract/resource-specs.ts';
import { anySpec } from '../property/listener/server-specs.ts';
import { allObjects } from '../support/kubernetes/all-objects.ts';
import { renderContext, serverSpec } from '../support/kubernetes/specs.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

/** Half of them any that the control plane takes, half of them with nothing but numbers. */
const SPECS = 1_000;
const AT_ONCE = 8;
const SEED = 20_261_124;

/** Each is a dozen requests. */
vi.setConfig({ testTimeout: 1_200_000 });

const processes = new ProcessSupervisor();
const context = renderContext();
let cluster: Cluster;
let api: ApiServer;

beforeAll(async () => {
  cluster = await startCluster(processes, await mkdtemp(join(tmpdir(), 'slipway-cluster-')));
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  api = new ApiServer(config);
  const body = { metadata: { name: context.namespace } };
  await config.makeApiClient(CoreV1Api).createNamespace({ body });
});

afterAll(async () => {
  await cluster.stop();
  await processes.close();
  await rm(cluster.folder, { recursive: true, force: true });
});

type Verdict = { by: 'us' | 'the cluster' | 'nobody'; why: string[] };

async function verdictOf(spec: ServerSpec): Promise<Verdict> {
  const problems = problemsOf(spec, context);
  if (problems.length > 0) return { by: 'us', why: problems };
  for (const object of allObjects(spec, context).values()) {
    const why = await refusalOf(object);
    if (why !== undefined) return { by: 'the cluster', why: [why] };
  }
  return { by: 'nobody', why: [] };
}

async function refusalOf(object: KubernetesObject): Promise<string | undefined> {
  try {
    await api.apply(object, 'slipway', 'All');
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

async function verdicts(specs: ServerSpec[]): Promise<Verdict[]> {
  const found: Verdict[] = [];
  for (let first = 0; first < specs.length; first += AT_ONCE)
    found.push(...(await Promise.all(specs.slice(first, first + AT_ONCE).map(verdictOf))));
  return found;
}

const sample = <T>(arbitrary: fc.Arbitrary<T>): T[] =>
  fc.sample(arbitrary, { numRuns: SPECS / 2, seed: SEED });

describe('a specification that the control plane takes', () => {
  it('is taken by the cluster when it has numbers alone', async () => {
    const specs = sample(goodSpec).map((resource_spec) =>
      serverSpec({ resource_spec: { ...resource_spec }, server: 'langgraph', queue: true }),
    );
    const refused = (await verdicts(specs)).filter(({ by }) => by !== 'nobody');
    expect(refused).toEqual([]);
  });

  it('is taken, or refused by field before anything is there', async () => {
    const found = await verdicts(sample(anySpec));
    const byUs = found.filter(({ by }) => by === 'us').flatMap(({ why }) => why);
    expect(byUs.filter((why) => !/^[a-z_]+[.[:].*: ./.test(why))).toEqual([]);
    const byCluster = found.filter(({ by }) => by === 'the cluster').flatMap(({ why }) => why);
    expect(byCluster.filter((why) => !/\w+(?:\.\w+|\[\S+\])+/.test(why))).toEqual([]);
    expect(found.some(({ by }) => by === 'nobody')).toBe(true);
    process.stdout.write(
      `${found.length} specifications: ${byUs.length} problems found by us, ${byCluster.length} by the cluster\n`,
    );
  });
});
