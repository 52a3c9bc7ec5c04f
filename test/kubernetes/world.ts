import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CoreV1Api, KubeConfig, type KubernetesObject, Watch } from '@kubernetes/client-node';
import { ApiServer } from '../../lib/compute/kubernetes/api-server.ts';
import { type Kind, managedKinds, pathOf, seenKinds } from '../../lib/compute/kubernetes/kinds.ts';
import { labels } from '../../lib/compute/kubernetes/render/names.ts';
import { DEFAULT_POD_SECURITY, type PodSecurity } from '../../lib/contract/pod-security.ts';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { childEnvironment } from '../../lib/processes/environment.ts';
import type { ProcessGroup } from '../../lib/processes/group.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import {
  api,
  discard,
  expectApi,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
  type ShownRevision,
  startProgram,
} from '../support/programs/program.ts';
import { run } from '../support/programs/python-tools.ts';
import { until } from '../support/until.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const STOP_GRACE_MS = 15_000;
/** On a busy machine; a listener that follows one that was killed first waits for its lease. */
const REVISION_TIMEOUT_MS = 240_000;
const ALL_TIMEOUT_MS = 600_000;

export type RunningListener = {
  group: ProcessGroup;
  output(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

type Shared = Pick<World, 'program' | 'cluster' | 'config'> & { processes: ProcessSupervisor };

/** A control plane as it is started by hand, a cluster, and listeners between them. */
export class World {
  readonly program: Program;
  readonly cluster: Cluster;
  readonly api: ApiServer;
  readonly config: KubeConfig;
  readonly namespaces: readonly string[];
  readonly listenerId: string;
  readonly #listenerKey: string;
  readonly #processes: ProcessSupervisor;

  private constructor(parts: Shared & Pick<World, 'namespaces' | 'listenerId'> & { listenerKey: string }) {
    this.program = parts.program;
    this.cluster = parts.cluster;
    this.config = parts.config;
    this.namespaces = parts.namespaces;
    this.listenerId = parts.listenerId;
    this.#listenerKey = parts.listenerKey;
    this.#processes = parts.processes;
    this.api = new ApiServer(parts.config);
  }

  /** `computeConfig`: what the listener's compute_config has beside the namespaces. */
  static async open(namespaces: readonly string[] = ['agents'], computeConfig: object = {}): Promise<World> {
    const processes = new ProcessSupervisor();
    const folder = await mkdtemp(join(tmpdir(), 'slipway-cluster-'));
    const [cluster, program] = await Promise.all([startCluster(processes, folder), startProgram()]);
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    return World.#register({ program, cluster, config, processes }, namespaces, {
      compute_id: 'cluster',
      compute_config: computeConfig,
    });
  }

  /** The same control plane and cluster, with another listener and its namespaces. Closed with the first. */
  beside(namespaces: readonly string[], computeConfig: object = {}): Promise<World> {
    const { program, cluster, config } = this;
    return World.#register({ program, cluster, config, processes: this.#processes }, namespaces, {
      compute_id: `cluster-${namespaces.join('-')}`,
      compute_config: computeConfig,
    });
  }

  static async #register(
    shared: Shared,
    namespaces: readonly string[],
    {
      compute_id,
      compute_config,
    }: { compute_id: string; compute_config: object & { pod_security?: PodSecurity } },
  ): Promise<World> {
    const { program, config, processes } = shared;
    const core = config.makeApiClient(CoreV1Api);
    // As docs/kubernetes.md has it: the namespace enforces what the listener refuses.
    const enforced = compute_config.pod_security ?? DEFAULT_POD_SECURITY;
    const enforcing = { 'pod-security.kubernetes.io/enforce': enforced };
    for (const name of namespaces)
      await core.createNamespace({ body: { metadata: { name, labels: enforcing } } });
    const body = {
      compute_type: 'k8s',
      compute_id,
      compute_config: { k8s_namespaces: namespaces, ...compute_config },
    };
    const { id: listenerId } = await expectApi<{ id: string }>(program, 'POST', '/v2/listeners', body, 201);
    const where = ['--tenant-id', program.tenantId, '--listener-id', listenerId];
    const words = [join(root, 'bin/slipway.ts'), 'admin', 'create-listener-key', ...where];
    const data = ['--data-dir', program.dataFolder, '--json'];
    const json = await run(processes, process.execPath, [...words, ...data]);
    const { api_key: listenerKey } = JSON.parse(json) as { api_key: string };
    return new World({ ...shared, namespaces, listenerId, listenerKey });
  }

  async close(): Promise<void> {
    await this.cluster.stop();
    await this.#processes.close();
    await discard(this.program);
    await rm(this.cluster.folder, { recursive: true, force: true });
  }

  /** Starts the listener program, as a pod does but for its place. */
  listen(kubeconfig = this.cluster.kubeconfig, ...more: string[]): RunningListener {
    return this.listenWith(join(root, 'bin/listener.ts'), kubeconfig, ...more);
  }

  /** The same with the program of another release. */
  listenWith(program: string, kubeconfig: string, ...more: string[]): RunningListener {
    const lines: string[] = [];
    const group = this.#processes.start({
      command: process.execPath,
      args: [program, '--driver', 'kubernetes', '--kubeconfig', kubeconfig, ...more],
      cwd: root,
      environment: childEnvironment({
        SLIPWAY_URL: this.program.baseUrl,
        SLIPWAY_LISTENER_ID: this.listenerId,
        SLIPWAY_API_KEY: this.#listenerKey,
        SLIPWAY_NAMESPACES: this.namespaces.join(','),
      }),
      onLine: ({ line }) => void lines.push(line),
    });
    return {
      group,
      output: () => lines.join('\n'),
      stop: () => this.#processes.stop(group, STOP_GRACE_MS),
      kill: () => this.#processes.stop(group, 0),
    };
  }

  deploy(
    name: string,
    image: string,
    more: { namespace?: string; spec?: object; health_check?: object; secrets?: object[] } = {},
  ) {
    const { namespace, spec, health_check, ...rest } = more;
    const source_config = {
      listener_id: this.listenerId,
      ...(namespace !== undefined && { listener_config: { k8s_namespace: namespace } }),
      ...(spec !== undefined && { resource_spec: spec }),
      ...(health_check !== undefined && { health_check }),
    };
    const body = { name, source_config, source_revision_config: { image_uri: image }, ...rest };
    return expectApi<ShownDeployment>(this.program, 'POST', '/v2/deployments', body, 201);
  }

  change(id: string, image: string): Promise<ShownDeployment> {
    return patch(this.program, id, { source_revision_config: { image_uri: image } });
  }

  redeploy(id: string, revisionId: string): Promise<ShownDeployment> {
    const path = `/v2/deployments/${id}/revisions/${revisionId}/redeploy`;
    return expectApi<ShownDeployment>(this.program, 'POST', path, {}, 200);
  }

  /** Changes what the listener's compute_config has beside the namespaces. */
  async configure(computeConfig: object): Promise<void> {
    const compute_config = { k8s_namespaces: this.namespaces, ...computeConfig };
    await expectApi(this.program, 'PATCH', `/v2/listeners/${this.listenerId}`, { compute_config }, 200);
  }

  /** Deletes a deployment, and waits until neither side has anything of it. */
  async deleted({ id }: ShownDeployment): Promise<void> {
    const path = `/v2/deployments/${id}`;
    await expectApi(this.program, 'DELETE', path, undefined, 204);
    const isGone = async () => (await api(this.program, 'GET', path)).status === 404;
    await until(isGone, { what: `the deployment ${id} to be gone` });
    const left = (await this.objectsOf(id)).map(({ kind, metadata }) => `${kind} ${metadata?.name}`);
    if (left.length > 0) throw new Error(`The deployment ${id} is gone, but for ${left.join(', ')}`);
  }

  /** Waits for the end of the deployment's newest revision. */
  ended({ id, latest_revision_id }: ShownDeployment): Promise<ShownRevision> {
    return revisionUntil(this.program, id, latest_revision_id, isTerminal, REVISION_TIMEOUT_MS);
  }

  /** Throws unless the newest revision ends as deployed. */
  async deployed(made: ShownDeployment): Promise<ShownDeployment> {
    const { status, status_message: message } = await this.ended(made);
    if (status !== 'DEPLOYED') throw new Error(`${status}: ${message}`);
    return expectApi(this.program, 'GET', `/v2/deployments/${made.id}`, undefined, 200);
  }

  /** Waits until the newest revisions of all of them are active: one request for all. */
  allDeployed(made: readonly ShownDeployment[]): Promise<ShownDeployment[]> {
    const wanted = new Map(made.map(({ id, latest_revision_id: newest }) => [id, newest]));
    const seen = async () => {
      const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
        this.program,
        'GET',
        '/v2/deployments?limit=100',
        undefined,
        200,
      );
      const own = resources.filter(({ id, active_revision_id: active }) => wanted.get(id) === active);
      return own.length === made.length && own;
    };
    return until(seen, { timeoutMs: ALL_TIMEOUT_MS, what: `${made.length} deployments to be deployed` });
  }

  /** Everything that the cluster has of a deployment, or of all. */
  async objectsOf(deploymentId?: string, kinds: readonly Kind[] = managedKinds): Promise<KubernetesObject[]> {
    const labelSelector =
      deploymentId === undefined ? labels.deployment : `${labels.deployment}=${deploymentId}`;
    const lists = await Promise.all(
      this.namespaces.flatMap((namespace) =>
        kinds.map(async (kind) => {
          const { items } = await this.api
            .list(pathOf(kind, namespace), { labelSelector })
            .catch(() => ({ items: [] }));
          return items.map((item) => ({ ...item, kind: kind.kind, apiVersion: kind.apiVersion }));
        }),
      ),
    );
    return lists.flat();
  }

  pods(deploymentId: string): Promise<KubernetesObject[]> {
    return this.objectsOf(
      deploymentId,
      seenKinds.filter(({ kind }) => kind === 'Pod'),
    );
  }

  /** Calls with each change of a kind in a namespace, from now on, until the function that it gives is called. */
  async watch(path: string, seen: (type: string, object: KubernetesObject) => void): Promise<() => void> {
    let last: string | undefined;
    let isStopped = false;
    let abort = () => {};
    const begin = async (): Promise<void> => {
      const from = last === undefined ? {} : { resourceVersion: last };
      const take = (type: string, object: KubernetesObject): void => {
        if (type === 'ERROR') throw new Error(`The watch of ${path} cannot go on: ${JSON.stringify(object)}`);
        last = object.metadata?.resourceVersion ?? last;
        if (type !== 'BOOKMARK') seen(type, object);
      };
      const watching = await new Watch(this.config).watch(
        path,
        { ...from, allowWatchBookmarks: true },
        take,
        () => {
          if (!isStopped) void begin();
        },
      );
      abort = () => watching.abort();
      if (isStopped) abort();
    };
    await begin();
    return () => {
      isStopped = true;
      abort();
    };
  }
}
