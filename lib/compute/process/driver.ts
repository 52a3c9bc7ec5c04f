import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { messageOf, pause } from '../../listener/backoff.ts';
import type { MeasuredRevision } from '../../listener/counts/measured.ts';
import type { DataFate, DeployHooks, DeployResult, Driver, StatusReport } from '../../listener/driver.ts';
import type { Log } from '../../listener/log.ts';
import type { LogShipper } from '../../listener/log-shipper.ts';
import type { LocalState } from '../../listener/state.ts';
import { type HiddenFolder, pathHiding } from '../../processes/hidden-paths.ts';
import type { ProcessSupervisor } from '../../processes/supervisor.ts';
import { nextTimestamp } from '../../processes/timestamps.ts';
import type { MachinePostgres } from '../postgres/machine.ts';
import { ownHostNote } from './address.ts';
import { bringUp, IMAGE_REFUSED } from './bring-up.ts';
import { ProcessDeployment } from './deployment.ts';
import { drainMillisecondsOf, settleMillisecondsOf } from './drain.ts';
import type { ProcessDriverOptions } from './driver-options.ts';
import { isDurable } from './durable.ts';
import { DurableAgents } from './durable-agents.ts';
import { comeToRest } from './idle-agent.ts';
import { Measures } from './measures.ts';
import { type Masking, maskOf } from './output/masking.ts';
import type { OutputThread } from './output/output-thread.ts';
import type { PinningContext } from './pinned-builds.ts';
import type { ProxyProcess } from './proxy-process.ts';
import type { Server } from './server.ts';
import { statusReports } from './status-reports.ts';
import { stopServer } from './stop-server.ts';

type Parts = {
  options: ProcessDriverOptions;
  supervisor: ProcessSupervisor;
  proxy: ProxyProcess;
  state: LocalState;
  shipper: LogShipper;
  output: OutputThread;
  postgres: Pick<MachinePostgres, 'database' | 'remove' | 'stop'>;
  log: Log;
  onChange: (deploymentId: string) => void;
};

/** Runs agent servers as processes of this machine, each its own process group, behind one reverse proxy. */
export class ProcessDriver implements Driver {
  /** Starting a server keeps a core busy. */
  readonly tasksAtOnce = 4;
  readonly #parts: Parts;
  readonly #deployments = new Map<string, ProcessDeployment>();
  /** Specs on their way up: their folders are needed though nothing serves from them yet. */
  readonly #starting = new Set<DeploySpec>();
  readonly #durable: DurableAgents;
  readonly #measures = new Measures();
  readonly #stop = (server: Server): Promise<void> => stopServer(this.#parts, server);
  readonly #data: HiddenFolder;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#data = [parts.options.dataFolder, '<data>'];
    this.#durable = new DurableAgents({ ...parts, contextOf: (id) => this.#pinningOf(id) });
    // Known before the restart: their addresses hold requests until they serve again, instead of answering
    // 404.
    for (const [id, known] of parts.state.deployments) {
      if (known.revision_id === null) continue;
      const { route } = this.#make(id, known.name, known.epoch);
      const { custom_host: customHost, custom_path: customPath = '' } = known;
      void route.recall({ customHost, customPath }, this.#measures.trafficOf(id, known.revision_id));
    }
  }

  /** Nothing runs yet: servers end with the program that started them. */
  async start(): Promise<void> {}

  async deploy(spec: DeploySpec, hooks: DeployHooks): Promise<DeployResult> {
    if (spec.artifact.kind === 'image') {
      const message = IMAGE_REFUSED.replace('{uri}', spec.artifact.uri);
      const previousServing = isServing(this.#deployments.get(spec.deployment_id));
      return { outcome: 'failed', message, previousServing };
    }
    const deployment = this.#of(spec);
    const result = await deployment.deploy(spec, hooks);
    if (result.outcome !== 'succeeded') await this.#removeUnused(spec.deployment_id, spec.revision_id);
    // A first deployment that came to nothing leaves no address and no folder behind.
    if (result.outcome !== 'succeeded' && deployment.revisionId === undefined) {
      await this.remove(spec.deployment_id, spec.epoch);
    }
    return result;
  }

  async reported(deploymentId: string): Promise<void> {
    await this.#deployments.get(deploymentId)?.retirePrevious();
  }

  keepRunning(spec: DeploySpec): void {
    this.#of(spec).keepRunning(spec);
  }

  async remove(deploymentId: string, epoch?: number, data: DataFate = 'as-usual'): Promise<void> {
    const { state, proxy, onChange } = this.#parts;
    const deployment = this.#deployments.get(deploymentId);
    this.#deployments.delete(deploymentId);
    if (deployment !== undefined) {
      await proxy.remove(deployment.route);
      await deployment.stop();
    }
    await this.#durable.stop(deploymentId);
    await this.#durable.remove(deploymentId, { keepsDump: data !== 'deleted-at-once' });
    await rm(this.#folder(deploymentId), { recursive: true, force: true }).catch((error: unknown) => {
      throw new Error(pathHiding([this.#data])(messageOf(error)));
    });
    if (epoch === undefined) state.remove(deploymentId);
    else {
      state.put(deploymentId, { epoch, revision_id: null });
      onChange(deploymentId);
    }
  }

  async confirm(deploymentId: string, epoch: number): Promise<void> {
    const deployment = this.#deployments.get(deploymentId);
    if (deployment === undefined || epoch <= deployment.epoch) return;
    deployment.epoch = epoch;
    this.#save(deployment);
    this.#parts.onChange(deploymentId);
  }

  setAddress(deploymentId: string, url: string | null): void {
    const deployment = this.#deployments.get(deploymentId);
    if (deployment?.route.setAddress(url)) this.#save(deployment);
  }

  deploymentIds(): string[] {
    return [...new Set([...this.#deployments.keys(), ...this.#parts.state.deployments.keys()])];
  }

  runningRevision(deploymentId: string): string | undefined {
    return this.#deployments.get(deploymentId)?.wantedRevisionId;
  }

  epochOf(deploymentId: string): number | undefined {
    return this.#deployments.get(deploymentId)?.epoch ?? this.#parts.state.get(deploymentId)?.epoch;
  }

  reports(): StatusReport[] {
    return statusReports(this.#deployments, this.#parts.state, this.#durable.told);
  }

  measure = async (): Promise<MeasuredRevision[]> =>
    this.#measures.take(await this.#parts.proxy.take(), [...this.#deployments.values()]);
  unmeasured = (): [] => [];
  releaseThreads = (id: string, revisions: readonly string[]): void => this.#durable.release(id, revisions);
  announceEnd = (): Promise<void> => this.#durable.announceEnd();

  async close(graceMilliseconds: number): Promise<void> {
    const stops = [...this.#deployments.values()].map((deployment) => deployment.stop());
    const stopping = Promise.all([...stops, this.#durable.stopAll()]);
    // Servers that save their state must be asked in their own way first.
    await Promise.race([stopping, pause(graceMilliseconds)]);
    await this.#durable.close();
    await this.#parts.supervisor.stopAll(0);
    await stopping;
  }

  /** The deployment that a spec is of, made if it is new. Its own address may be another than before. */
  #of({ deployment_id: id, deployment_name: name, epoch, custom_url: url }: DeploySpec): ProcessDeployment {
    const deployment = this.#deployments.get(id) ?? this.#make(id, name, epoch);
    deployment.route.setAddress(url);
    return deployment;
  }

  #make(id: string, name: string, epoch: number): ProcessDeployment {
    const { options, proxy, log, onChange } = this.#parts;
    const logLine = this.#logOf(id);
    const deployment = new ProcessDeployment(id, epoch, {
      route: proxy.route(name),
      url: `${options.agentsUrl}/${name}`,
      ownHostNote: ownHostNote(name, options.agentsUrl),
      bringUp: async (spec, signal, say, how) => {
        const broughtUp = await this.#bringUp(spec, signal, say, how);
        if (isDurable(spec)) this.#durable.pinned(id).note(spec, broughtUp.server);
        return broughtUp;
      },
      settle: async (server, next, say) => {
        const within = settleMillisecondsOf(next, options.drainMilliseconds);
        const cutOff = await comeToRest(proxy, server, within, (message) => say(message, 'WARNING'));
        if (cutOff !== undefined) logLine(server.revisionId, 'WARNING', cutOff);
        await this.#stop(server);
      },
      retire: async (server, next) => {
        await proxy.drained(server.target, drainMillisecondsOf(next, options.drainMilliseconds));
        if (this.#durable.of(id)?.take(server)) return;
        await this.#stop(server);
        await this.#removeUnused(id, server.revisionId);
      },
      stopNow: this.#stop,
      logLine: (revisionId, level, message) => {
        log[level === 'ERROR' ? 'warn' : 'info'](`${name}: ${message}`);
        logLine(revisionId, level, message);
      },
      restarted: (revisionId, server) => this.#measures.restarted(id, revisionId, server),
      changed: (changed) => {
        this.#save(changed);
        this.#durable.of(id)?.lookSoon();
        onChange(id);
      },
    });
    this.#deployments.set(id, deployment);
    return deployment;
  }

  async #bringUp(
    spec: DeploySpec,
    signal: AbortSignal,
    say: DeployHooks['say'],
    { beside, isNew }: { beside: boolean; isNew: boolean },
  ): ReturnType<typeof bringUp> {
    const { options, supervisor, output } = this.#parts;
    signal.throwIfAborted();
    this.#starting.add(spec);
    const broughtUp = async () => {
      const durable = isDurable(spec) ? await this.#durable.open(spec.deployment_id, say) : undefined;
      const folders = {
        deployment: this.#folder(spec.deployment_id),
        revision: this.#revisionFolder(spec.deployment_id, spec.revision_id),
      };
      const masking = this.#maskingOf(spec);
      const mask = maskOf(masking);
      const request = { spec, options, supervisor, output, folders, masking, signal, beside, isNew };
      const brought = await bringUp({ ...request, durable, say: (text, level) => say(mask(text), level) });
      this.#measures.watch(spec, brought.server);
      return brought;
    };
    return broughtUp()
      .catch((error: unknown) => {
        throw new Error(maskOf(this.#maskingOf(spec))(messageOf(error)));
      })
      .finally(() => this.#starting.delete(spec));
  }

  #save(deployment: ProcessDeployment): void {
    const { id, epoch, revisionId } = deployment;
    // A deployment that has just been removed must not come back through a late change.
    if (revisionId === undefined || this.#deployments.get(id) !== deployment) return;
    const { name, customHost: custom_host, customPath: custom_path } = deployment.route;
    this.#parts.state.put(id, { name, epoch, revision_id: revisionId, custom_host, custom_path });
  }

  /** The deploy logs of a deployment's revisions. */
  #logOf(id: string): PinningContext['say'] {
    return (revisionId, level, message) =>
      this.#parts.shipper.push(id, revisionId, { timestamp: nextTimestamp(), level, message });
  }

  #pinningOf(id: string): PinningContext {
    const say = this.#logOf(id);
    return {
      folder: this.#folder(id),
      serving: () => {
        const deployment = this.#deployments.get(id);
        return isServing(deployment) ? deployment?.revisionId : undefined;
      },
      start: async (spec, signal) => {
        const saying = (message: string) => say(spec.revision_id, 'INFO', message);
        return (await this.#bringUp(spec, signal, saying, { beside: true, isNew: false })).server;
      },
      stop: async (server) => {
        await this.#stop(server);
        await this.#removeUnused(id, server.revisionId);
      },
      forget: (revisionId) => this.#removeUnused(id, revisionId),
      say,
      changed: () => this.#parts.onChange(id),
    };
  }

  /** What clients may not read of a revision. */
  #maskingOf({ environment, deployment_id, revision_id }: DeploySpec): Masking {
    const folder = this.#revisionFolder(deployment_id, revision_id);
    const secrets = [...environment.map(({ value }) => value), ...this.#durable.secretsOf(deployment_id)];
    return { secrets, folders: [[folder, '.'], this.#data] };
  }

  #folder(deploymentId: string): string {
    return join(this.#parts.options.dataFolder, 'deployments', deploymentId);
  }

  #revisionFolder(deploymentId: string, revisionId: string): string {
    return join(this.#folder(deploymentId), 'revisions', revisionId);
  }

  async #removeUnused(deploymentId: string, revisionId: string): Promise<void> {
    const starting = [...this.#starting].some((spec) => spec.revision_id === revisionId);
    const deployment = this.#deployments.get(deploymentId);
    if (this.#durable.of(deploymentId)?.needs(revisionId)) return;
    if (starting || deployment?.revisionId === revisionId || deployment?.wantedRevisionId === revisionId)
      return;
    await rm(this.#revisionFolder(deploymentId, revisionId), { recursive: true, force: true });
  }
}

const isServing = (deployment: ProcessDeployment | undefined): boolean =>
  deployment !== undefined && deployment.problem === undefined;
