import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createMask, type Mask } from '../../contract/mask.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { messageOf, pause } from '../../listener/backoff.ts';
import type { DeployHooks, DeployResult, Driver, StatusReport } from '../../listener/driver.ts';
import type { Log } from '../../listener/log.ts';
import type { LogShipper } from '../../listener/log-shipper.ts';
import type { LocalState } from '../../listener/state.ts';
import { type HiddenFolder, pathHiding } from '../../processes/hidden-paths.ts';
import type { ProcessSupervisor } from '../../processes/supervisor.ts';
import { nextTimestamp } from '../../processes/timestamps.ts';
import { PostgresMissing } from '../postgres/binaries.ts';
import type { Database } from '../postgres/databases.ts';
import type { MachinePostgres } from '../postgres/machine.ts';
import { ownHostNote } from './address.ts';
import { bringUp, IMAGE_REFUSED } from './bring-up.ts';
import { type BroughtUp, ProcessDeployment } from './deployment.ts';
import { drainMillisecondsOf, settleMillisecondsOf } from './drain.ts';
import { isDurable } from './durable.ts';
import { comeToRest } from './idle-agent.ts';
import type { Proxy } from './proxy/proxy.ts';
import { askToStop, HAND_BACK_MILLISECONDS, SAVE_MILLISECONDS, saveAndStop } from './save-and-stop.ts';
import { type Server, STOP_GRACE_MILLISECONDS } from './server.ts';
import { statusReports } from './status-reports.ts';

export type ProcessDriverOptions = {
  dataFolder: string;
  baseUrl: string;
  apiKey: string;
  /** What the stable URLs begin with: public address and path prefix. */
  agentsUrl: string;
  startTimeoutMilliseconds: number;
  drainMilliseconds: number;
};

const NO_DATABASE =
  "The runtime 'durable' keeps threads and runs there: mend that, or set source_config.runtime to 'dev'.";

type Parts = {
  options: ProcessDriverOptions;
  supervisor: ProcessSupervisor;
  proxy: Proxy;
  state: LocalState;
  shipper: LogShipper;
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
  readonly #databases = new Map<string, Database>();
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
    await this.#removeData(deploymentId).catch((error: unknown) => {
      throw new Error(pathHiding([this.#data])(messageOf(error)));
    });
    if (epoch === undefined) state.remove(deploymentId);
    else {
      state.put(deploymentId, { epoch, revision_id: null });
      onChange(deploymentId);
    }
  }

  async #removeData(deploymentId: string): Promise<void> {
    await this.#parts.postgres.remove(deploymentId, { keepsDump: true });
    this.#databases.delete(deploymentId);
    await rm(this.#folder(deploymentId), { recursive: true, force: true });
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
    await this.#parts.postgres.stop();
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
      bringUp: (spec, signal, say, how) => this.#bringUp(spec, signal, say, how),
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
    signal.throwIfAborted();
    this.#starting.add(spec);
    const broughtUp = async () => {
      const database = isDurable(spec) ? await this.#databaseOf(spec.deployment_id) : undefined;
      const mask = this.#maskOf(spec);
      const folders = {
        deployment: this.#folder(spec.deployment_id),
        revision: this.#revisionFolder(spec.deployment_id, spec.revision_id),
      };
      const request = { spec, options, supervisor, shipper, folders, signal, beside, isNew };
      const saying: typeof say = (message, level) => say(mask(message), level);
      return bringUp({ ...request, databaseUri: database?.uri, mask, say: saying });
    };
    return broughtUp()
      .catch((error: unknown) => {
        throw new Error(this.#maskOf(spec)(messageOf(error)));
      })
      .finally(() => this.#starting.delete(spec));
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
    if (server.handsBackOnStop) await askToStop(server.group, HAND_BACK_MILLISECONDS);
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

  async #databaseOf(deploymentId: string): Promise<Database> {
    const database = await this.#parts.postgres.database(deploymentId).catch((error: unknown) => {
      throw error instanceof PostgresMissing ? new Error(`${error.message}. ${NO_DATABASE}`) : error;
    });
    this.#databases.set(deploymentId, database);
    return database;
  }

  /** Takes secrets and paths of this machine out of what clients read of a revision. */
  #maskOf({ environment, deployment_id, revision_id }: DeploySpec): Mask {
    const folder = this.#revisionFolder(deployment_id, revision_id);
    const { password = '' } = this.#databases.get(deployment_id) ?? {};
    const mask = createMask([...environment.map(({ value }) => value), password]);
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
