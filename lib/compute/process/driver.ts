import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createMask, type Mask } from '../../contract/mask.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { messageOf, pause } from '../../listener/backoff.ts';
import type { DeployHooks, DeployResult, Driver, StatusReport } from '../../listener/driver.ts';
import type { Log } from '../../listener/log.ts';
import type { LogShipper, ShippedLine } from '../../listener/log-shipper.ts';
import type { LocalState } from '../../listener/state.ts';
import { type HiddenFolder, pathHiding } from '../../processes/hidden-paths.ts';
import type { ProcessSupervisor } from '../../processes/supervisor.ts';
import { nextTimestamp } from '../../processes/timestamps.ts';
import { ownHostNote } from './address.ts';
import { fetchArtifact } from './artifact.ts';
import { commandFor } from './command-for.ts';
import { type BroughtUp, ProcessDeployment } from './deployment.ts';
import { drainMillisecondsOf, settleMillisecondsOf } from './drain.ts';
import { comeToRest } from './idle-agent.ts';
import { agentCommand } from './langgraph.ts';
import type { Proxy } from './proxy/proxy.ts';
import { runRelease } from './release.ts';
import { SAVE_MILLISECONDS, saveAndStop } from './save-and-stop.ts';
import { type Server, STOP_GRACE_MILLISECONDS, startServer } from './server.ts';
import { statusReports } from './status-reports.ts';
import { STATE_FOLDER, TRIAL_FOLDER } from './tidy-folders.ts';

export type ProcessDriverOptions = {
  dataFolder: string;
  baseUrl: string;
  apiKey: string;
  /** What the stable URLs begin with: public address and path prefix. */
  agentsUrl: string;
  startTimeoutMilliseconds: number;
  drainMilliseconds: number;
};

type Parts = {
  options: ProcessDriverOptions;
  supervisor: ProcessSupervisor;
  proxy: Proxy;
  state: LocalState;
  shipper: LogShipper;
  log: Log;
  onChange: (deploymentId: string) => void;
};

const IMAGE_REFUSED =
  "This listener runs agent servers as local processes and cannot run the image '{uri}'. Deploy from source, or choose a listener with compute_type k8s, which runs images.";

/** Runs agent servers as processes of this machine, each its own process group, behind one reverse proxy. */
export class ProcessDriver implements Driver {
  /** Starting a server keeps a core busy. */
  readonly tasksAtOnce = 4;
  readonly #parts: Parts;
  readonly #deployments = new Map<string, ProcessDeployment>();
  /** Specs on their way up: their folders are needed though nothing serves from them yet. */
  readonly #starting = new Set<DeploySpec>();
  /** How clients read of the data folder. */
  readonly #data: HiddenFolder;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#data = [parts.options.dataFolder, '<data>'];
    // Known before the restart: their addresses hold requests until they serve again, instead of answering
    // 404.
    for (const [id, known] of parts.state.deployments) {
      if (known.revision_id === null) continue;
      const { route } = this.#make(id, known.name, known.epoch);
      route.customHost = known.custom_host;
      route.customPath = known.custom_path ?? '';
    }
  }

  async start(): Promise<void> {
    // Nothing runs yet: servers end with the program that started them.
  }

  async deploy(spec: DeploySpec, hooks: DeployHooks): Promise<DeployResult> {
    if (spec.artifact.kind === 'image') {
      const message = IMAGE_REFUSED.replace('{uri}', spec.artifact.uri);
      return {
        outcome: 'failed',
        message,
        previousServing: isServing(this.#deployments.get(spec.deployment_id)),
      };
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

  async remove(deploymentId: string, epoch?: number): Promise<void> {
    const { state, proxy, onChange } = this.#parts;
    const deployment = this.#deployments.get(deploymentId);
    this.#deployments.delete(deploymentId);
    if (deployment !== undefined) {
      proxy.remove(deployment.route);
      await deployment.stop();
    }
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
    return statusReports(this.#deployments, this.#parts.state);
  }

  async close(graceMilliseconds: number): Promise<void> {
    const stopping = Promise.all([...this.#deployments.values()].map((deployment) => deployment.stop()));
    // Servers that save their state must be asked in their own way first.
    await Promise.race([stopping, pause(graceMilliseconds)]);
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
    const { options, proxy, shipper, log, onChange } = this.#parts;
    const deployment = new ProcessDeployment(id, epoch, {
      route: proxy.route(name),
      url: `${options.agentsUrl}/${name}`,
      ownHostNote: ownHostNote(name, options.agentsUrl),
      bringUp: async (spec, signal, say, how) => {
        const mask = this.#maskOf(spec);
        const saying: typeof say = (message, level) => say(mask(message), level);
        return this.#bringUp(spec, signal, saying, how).catch((error: unknown) => {
          throw new Error(mask(messageOf(error)));
        });
      },
      settle: (server, next, say) =>
        this.#settle(id, server, settleMillisecondsOf(next, options.drainMilliseconds), say),
      retire: async (server, next) => {
        await server.target.drained(drainMillisecondsOf(next, options.drainMilliseconds));
        await this.#stop(server);
        await this.#removeUnused(id, server.revisionId);
      },
      stopNow: (server) => this.#stop(server),
      logLine: (revisionId, level, message) => {
        log[level === 'ERROR' ? 'warn' : 'info'](`${name}: ${message}`);
        shipper.push(id, revisionId, { timestamp: nextTimestamp(), level, message });
      },
      changed: (changed) => {
        this.#save(changed);
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
  ): Promise<BroughtUp> {
    const { options, supervisor, shipper } = this.#parts;
    if (spec.artifact.kind === 'image') throw new Error(IMAGE_REFUSED.replace('{uri}', spec.artifact.uri));
    const folder = this.#revisionFolder(spec.deployment_id, spec.revision_id);
    signal.throwIfAborted();
    this.#starting.add(spec);
    try {
      const fetched = await fetchArtifact(supervisor, { ...options, ...spec.artifact }, folder, signal);
      const fetchedAt = performance.now();
      const state = join(this.#folder(spec.deployment_id), beside ? TRIAL_FOLDER : STATE_FOLDER);
      if (beside) await rm(state, { recursive: true, force: true });
      const places = { artifactFolder: folder, stateFolder: state, agentsUrl: options.agentsUrl };
      const agent = spec.start_command ? undefined : await agentCommand(spec, places);
      const run = {
        supervisor,
        spec,
        signal,
        say,
        command: agent ?? {
          ...(await commandFor(folder, spec, options.agentsUrl)),
          isAgentServer: spec.server === 'langgraph',
        },
        isTrial: beside && agent !== undefined,
        mask: this.#maskOf(spec),
        startTimeoutMilliseconds: options.startTimeoutMilliseconds,
        onLine: (line: ShippedLine) => shipper.push(spec.deployment_id, spec.revision_id, line),
      };
      if (isNew) await runRelease(run);
      const server = await startServer(run);
      const times = [fetched.downloadMilliseconds, fetched.unpackMilliseconds, performance.now() - fetchedAt];
      const [download, unpack, start] = times.map(Math.round);
      return { server, timing: `download_ms=${download} unpack_ms=${unpack} start_ms=${start}` };
    } finally {
      this.#starting.delete(spec);
    }
  }

  /** Lets a server that saves its state come to rest, and stops it. */
  async #settle(
    id: string,
    server: Server,
    withinMilliseconds: number,
    say: DeployHooks['say'],
  ): Promise<void> {
    const ended = await comeToRest(server, withinMilliseconds, (message) => say(message, 'WARNING'));
    if (!ended) {
      const message = `Requests or runs that took longer than ${withinMilliseconds / 1000} s are cut off.`;
      const timestamp = nextTimestamp();
      this.#parts.shipper.push(id, server.revisionId, { timestamp, level: 'WARNING', message });
    }
    await this.#stop(server);
  }

  async #stop(server: Server): Promise<void> {
    server.target.agent.destroy();
    if (server.savesOnStop && !server.isTrial)
      await saveAndStop(server.group, server.target.where.port, SAVE_MILLISECONDS);
    await this.#parts.supervisor.stop(server.group, STOP_GRACE_MILLISECONDS);
  }

  #save(deployment: ProcessDeployment): void {
    const { id, epoch, revisionId } = deployment;
    // A deployment that has just been removed must not come back through a late change.
    if (revisionId === undefined || this.#deployments.get(id) !== deployment) return;
    const { name, customHost: custom_host, customPath: custom_path } = deployment.route;
    this.#parts.state.put(id, { name, epoch, revision_id: revisionId, custom_host, custom_path });
  }

  /** Takes secrets and paths of this machine out of what clients read of a revision. */
  #maskOf({ environment, deployment_id, revision_id }: DeploySpec): Mask {
    const folder = this.#revisionFolder(deployment_id, revision_id);
    const mask = createMask(environment.map(({ value }) => value));
    const hide = pathHiding([[folder, '.'], this.#data]);
    return (text) => hide(mask(text));
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
    if (starting || deployment?.revisionId === revisionId || deployment?.wantedRevisionId === revisionId)
      return;
    await rm(this.#revisionFolder(deploymentId, revisionId), { recursive: true, force: true });
  }
}

const isServing = (deployment: ProcessDeployment | undefined): boolean =>
  deployment !== undefined && deployment.problem === undefined;
