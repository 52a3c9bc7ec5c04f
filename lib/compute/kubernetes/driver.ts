import type { KubeConfig } from '@kubernetes/client-node';
import type { Unmeasured } from '../../contract/deployments/counts.ts';
import { type KubernetesConfig, kubernetesConfig } from '../../contract/kubernetes-config.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { ControlPlane } from '../../listener/control-plane.ts';
import type { MeasuredRevision } from '../../listener/counts/measured.ts';
import type { DataFate, DeployHooks, DeployResult, Driver, StatusReport } from '../../listener/driver.ts';
import type { Log } from '../../listener/log.ts';
import type { LogShipper } from '../../listener/log-shipper.ts';
import { ApiServer } from './api-server.ts';
import { Cluster } from './cluster.ts';
import { ClusterDeployment } from './deployment.ts';
import { PodLogs } from './logs/pod-logs.ts';
import { ClusterMeasures } from './measures.ts';
import { PullCredentials } from './pull-credentials.ts';
import type { RenderContext, ServerSpec } from './render/context.ts';
import { Sets } from './sets.ts';
import { ObjectStore } from './store.ts';
import { Watching } from './watching.ts';

/** Where a deployment names no namespace and its listener has none. */
const NAMESPACE = 'default';
/** Requests and runs in flight may go on for so long at servers that were replaced. */
const GRACE_SECONDS = 180;
/** Nothing runs on the listener's own machine: the cluster does the work. */
const TASKS_AT_ONCE = 100;

export type KubernetesDriverOptions = {
  config: KubeConfig;
  listenerId: string;
  /** All that this listener may use. */
  namespaces: readonly string[];
  startTimeoutSeconds: number;
  /** What is rendered of stores and users: see RenderContext. */
  storeImages: { postgres: string; redis: string };
  storePullSecrets: readonly string[];
  openshift: boolean;
  /** Names this program; see Sets. */
  holder: string;
  /** Until when a program before this one has shipped what servers write; undefined: there was none. */
  since: Date | undefined;
};

type Parts = KubernetesDriverOptions & {
  shipper: Pick<LogShipper, 'push' | 'room'>;
  controlPlane: Pick<ControlPlane, 'registryCredentials'>;
  log: Log;
  onChange: (deploymentId: string) => void;
};

/**
 * Runs agent servers as Deployments of a Kubernetes cluster. What it knows is kept there, in labels and
 * annotations: whoever continues after it finds it.
 */
export class KubernetesDriver implements Driver {
  readonly tasksAtOnce = TASKS_AT_ONCE;
  readonly #parts: Parts;
  readonly #store: ObjectStore;
  readonly #cluster: Cluster;
  readonly #watching: Watching;
  readonly #logs: PodLogs;
  readonly #pulls: PullCredentials;
  readonly #measures: ClusterMeasures;
  readonly #deployments = new Map<string, ClusterDeployment>();
  /** Epochs of deployments of which nothing runs. */
  readonly #removed = new Map<string, number>();
  #computeConfig: KubernetesConfig = kubernetesConfig.parse({});

  constructor(parts: Parts) {
    this.#parts = parts;
    const api = new ApiServer(parts.config);
    this.#store = new ObjectStore((id) => this.#changed(id));
    this.#cluster = new Cluster(api, this.#store);
    this.#watching = new Watching({ ...parts, api, store: this.#store });
    this.#logs = new PodLogs({ ...parts, api, store: this.#store });
    this.#measures = new ClusterMeasures({ ...parts, api, store: this.#store });
    this.#pulls = new PullCredentials({
      ...parts,
      cluster: this.#cluster,
      needed: (id) => this.#deployments.get(id)?.wake(),
    });
  }

  async start(): Promise<void> {
    await Promise.all([this.#watching.start(), this.#measures.start()]);
    for (const id of this.#store.deploymentIds()) this.#of(id);
  }

  /** The listener's compute_config, as the control plane has it now. The last one stays while none is sent. */
  configure(computeConfig: object): void {
    const read = kubernetesConfig.safeParse(computeConfig);
    if (read.data === undefined || JSON.stringify(read.data) === JSON.stringify(this.#computeConfig)) return;
    this.#computeConfig = read.data;
    for (const deployment of this.#deployments.values()) deployment.wake();
  }

  async deploy(spec: DeploySpec, hooks: DeployHooks): Promise<DeployResult> {
    this.#removed.delete(spec.deployment_id);
    this.#logs.know(spec);
    const result = await this.#of(spec.deployment_id).deploy(spec, hooks);
    if (result.outcome === 'failed') await this.#logs.failed(spec);
    return result;
  }

  async reported(deploymentId: string, accepted: boolean): Promise<void> {
    this.#deployments.get(deploymentId)?.reported(accepted);
  }

  keepRunning(spec: DeploySpec): void {
    this.#removed.delete(spec.deployment_id);
    this.#logs.know(spec);
    this.#of(spec.deployment_id).keepRunning(spec);
  }

  async remove(deploymentId: string, epoch?: number, data: DataFate = 'as-usual'): Promise<void> {
    await this.#of(deploymentId).remove(data !== 'as-usual');
    this.#logs.forget(deploymentId);
    this.#pulls.forget(deploymentId);
    this.#deployments.get(deploymentId)?.close();
    this.#deployments.delete(deploymentId);
    if (epoch === undefined) {
      this.#removed.delete(deploymentId);
      return;
    }
    this.#removed.set(deploymentId, epoch);
    this.#parts.onChange(deploymentId);
  }

  async confirm(deploymentId: string, epoch: number): Promise<void> {
    const deployment = this.#deployments.get(deploymentId);
    if (deployment === undefined || epoch <= (deployment.epoch ?? 0)) return;
    await deployment.confirm(epoch);
  }

  setAddress(deploymentId: string, url: string | null): void {
    this.#deployments.get(deploymentId)?.setAddress(url);
  }

  deploymentIds(): string[] {
    return [
      ...new Set([...this.#deployments.keys(), ...this.#store.deploymentIds(), ...this.#removed.keys()]),
    ];
  }

  runningRevision(deploymentId: string): string | undefined {
    return this.#deployments.get(deploymentId)?.runningRevision;
  }

  epochOf(deploymentId: string): number | undefined {
    return this.#deployments.get(deploymentId)?.epoch ?? this.#removed.get(deploymentId);
  }

  reports(): StatusReport[] {
    const running = [...this.#deployments.values()].flatMap((deployment) => deployment.report() ?? []);
    const removed = [...this.#removed].map(([deployment_id, epoch]) => ({
      deployment_id,
      epoch,
      revision_id: null,
      healthy: false,
    }));
    return [...running, ...removed];
  }

  measure(): Promise<MeasuredRevision[]> {
    return this.#measures.take();
  }

  unmeasured(): Unmeasured[] {
    return this.#measures.missing;
  }

  async close(): Promise<void> {
    for (const deployment of this.#deployments.values()) deployment.close();
    this.#logs.close();
    this.#pulls.close();
    await this.#watching.stop();
  }

  #changed(deploymentId: string): void {
    this.#deployments.get(deploymentId)?.wake();
    this.#logs.look(deploymentId);
  }

  #of(id: string): ClusterDeployment {
    const known = this.#deployments.get(id);
    if (known !== undefined) return known;
    const { log, startTimeoutSeconds, holder, onChange } = this.#parts;
    const contextOf = (spec: ServerSpec) => this.#contextOf(spec);
    const changed = () => onChange(id);
    const parts = { id, cluster: this.#cluster, store: this.#store, contextOf, holder };
    const sets = new Sets({ ...parts, moved: changed });
    const prepare = (spec: ServerSpec) => this.#prepare(spec);
    const deployment = new ClusterDeployment({ id, sets, log, startTimeoutSeconds, changed, prepare });
    this.#deployments.set(id, deployment);
    return deployment;
  }

  async #prepare(spec: ServerSpec): Promise<void> {
    const context = this.#contextOf(spec);
    await this.#pulls.prepare(spec, context);
    if (context.computeConfig.gateway !== undefined) await this.#watching.watchRoutes(context.namespace);
  }

  #contextOf(spec: ServerSpec): RenderContext {
    const { listenerId, namespaces, startTimeoutSeconds, storeImages, storePullSecrets, openshift } =
      this.#parts;
    const pullSecret = this.#pulls.secretFor(spec);
    return {
      listenerId,
      namespace: spec.k8s_namespace ?? namespaces[0] ?? NAMESPACE,
      computeConfig: this.#computeConfig,
      graceSeconds: spec.drain_seconds ?? GRACE_SECONDS,
      startTimeoutSeconds,
      storeImages,
      storePullSecrets,
      openshift,
      ...(pullSecret !== undefined && { pullSecret }),
    };
  }
}
