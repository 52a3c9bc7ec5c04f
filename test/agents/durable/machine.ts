import { randomUUID } from 'node:crypto';
import { MachinePostgres } from '../../../lib/compute/postgres/machine.ts';
import { ProcessDriver } from '../../../lib/compute/process/driver.ts';
import { OutputThread } from '../../../lib/compute/process/output/output-thread.ts';
import { ProxyProcess } from '../../../lib/compute/process/proxy-process.ts';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import type { DeployHooks, DeployResult } from '../../../lib/listener/driver.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { LogShipper } from '../../../lib/listener/log-shipper.ts';
import { LocalState } from '../../../lib/listener/state.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { FakeControlPlane, type OnEnd } from '../../integration/listener/fake-control-plane.ts';
import { postgresFolder, postgresPrograms } from '../../support/programs/postgres.ts';
import { plainSpec } from '../../support/world/deploy-spec.ts';

export type DurableSpec = DeploySpec & { runtime: 'durable' };

const log = createLog('error');

/** What runs durable agents on a machine, with a PostgreSQL of its own, without a control plane that speaks. */
export class DurableMachine {
  readonly supervisor = new ProcessSupervisor();
  readonly said: string[] = [];
  readonly files: FakeControlPlane;
  readonly dataFolder: string;
  driver: ProcessDriver;
  #proxy: ProxyProcess;
  #port = 0;
  #output: OutputThread | undefined;

  static async start(onEnd: OnEnd): Promise<DurableMachine> {
    const files = await new FakeControlPlane().start(onEnd);
    const machine = new DurableMachine(files, await postgresFolder());
    await machine.open();
    onEnd(() => machine.close());
    return machine;
  }

  private constructor(files: FakeControlPlane, dataFolder: string) {
    this.files = files;
    this.dataFolder = dataFolder;
    this.#proxy = this.#newProxy();
    this.driver = this.#newDriver('');
  }

  async open(): Promise<void> {
    this.#proxy = this.#newProxy();
    this.#port = await this.#proxy.listen();
    this.driver = this.#newDriver(`http://localhost:${this.#port}/d`);
    await this.#proxy.open();
  }

  /** Ends it as the listener does. */
  async stop(): Promise<void> {
    await this.#proxy.close(this.driver.announceEnd());
    await this.driver.close(20_000);
    await this.#output?.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.supervisor.close();
  }

  url(name: string, path: string): string {
    return `http://127.0.0.1:${this.#port}/d/${name}${path}`;
  }

  /** A revision of a deployment, of another artifact where one is given. */
  spec(tarball: Buffer, rest: Partial<DeploySpec> = {}): DurableSpec {
    const deployment_id = rest.deployment_id ?? randomUUID();
    const own = {
      deployment_id,
      deployment_name: `agent-${deployment_id.slice(0, 8)}`,
      tenant_id: randomUUID(),
      revision_id: randomUUID(),
      artifact: this.files.addArtifact(tarball),
    };
    return { ...plainSpec(own), ...rest, runtime: 'durable' };
  }

  /** Deploys it, and what it replaces may go. Throws with the reason of a failure. */
  async deploy(spec: DurableSpec): Promise<void> {
    const result = await this.tryToDeploy(spec);
    if (result.outcome !== 'succeeded')
      throw new Error(`${JSON.stringify(result)}\n${this.said.slice(-30).join('\n')}`);
  }

  async tryToDeploy(spec: DurableSpec): Promise<DeployResult> {
    const hooks: DeployHooks = {
      signal: new AbortController().signal,
      say: (message) => void this.said.push(message),
      waitsFor: () => undefined,
      announceSwitch: async () => true,
    };
    const result = await this.driver.deploy(spec, hooks);
    void this.driver.reported(spec.deployment_id);
    return result;
  }

  #newProxy(): ProxyProcess {
    const options = { port: this.#port, pathPrefix: '/d' };
    return new ProxyProcess({ options, marking: this.supervisor.marking(), log });
  }

  #newDriver(agentsUrl: string): ProcessDriver {
    const options = {
      dataFolder: this.dataFolder,
      baseUrl: this.files.url,
      apiKey: this.files.apiKey,
      agentsUrl,
      startTimeoutMilliseconds: 120_000,
      drainMilliseconds: 5_000,
    };
    const shipper = new LogShipper(async ({ batches }) => {
      for (const { lines } of batches) this.said.push(...lines.map(({ message }) => message));
    }, log);
    const postgres = new MachinePostgres({
      processes: this.supervisor,
      dataFolder: this.dataFolder,
      programs: () => postgresPrograms(this.supervisor),
      log,
      userName: 'nobody',
    });
    const state = new LocalState(this.dataFolder);
    const output = new OutputThread({ shipper, log });
    this.#output = output;
    const parts = {
      options,
      output,
      supervisor: this.supervisor,
      proxy: this.#proxy,
      state,
      shipper,
      postgres,
      log,
    };
    return new ProcessDriver({ ...parts, onChange: () => undefined });
  }
}
