import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { run } from '../programs/python-tools.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The app as it is deployed: what `cdk.json` is overridden with, and where. */
export type CdkApp = {
  context: Record<string, string> & { environment: string };
  account: string;
  region: string;
  /** What the CDK's command line finds beside its arguments: credentials, region, endpoint, home. */
  variables: Record<string, string>;
  /** Where the app is synthesised to. */
  outputFolder: string;
};

const contextArguments = (context: Record<string, string>): string[] =>
  Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Runs the CDK's own command line as a user does. Gives what it printed. */
export class Cdk {
  readonly #processes: ProcessSupervisor;
  readonly #app: CdkApp;
  readonly outputFolder: string;

  constructor(processes: ProcessSupervisor, app: CdkApp) {
    this.#processes = processes;
    this.#app = app;
    this.outputFolder = app.outputFolder;
  }

  synth(): Promise<string> {
    return this.#run('synth', '--quiet', ...this.#output(), ...contextArguments(this.#app.context));
  }

  bootstrap(): Promise<string> {
    return this.#run('bootstrap', `aws://${this.#app.account}/${this.#app.region}`, ...this.#synthesised());
  }

  /** Deploys what was synthesised, both stacks. */
  deploySynthesised(): Promise<string> {
    return this.#run('deploy', '--all', '--require-approval', 'never', ...this.#synthesised());
  }

  /** Synthesises and deploys, as a user does, with more context if given. */
  deploy(more: Record<string, string> = {}): Promise<string> {
    const context = contextArguments({ ...this.#app.context, ...more });
    return this.#run('deploy', '--all', '--require-approval', 'never', ...this.#output(), ...context);
  }

  /** Destroys all but what is kept. */
  destroyApplication(): Promise<string> {
    const name = `slipway-${this.#app.context.environment}`;
    return this.#run('destroy', name, '--force', ...this.#synthesised());
  }

  destroy(): Promise<string> {
    return this.#run('destroy', '--all', '--force', ...this.#synthesised());
  }

  #output = (): string[] => ['--output', this.outputFolder];
  #synthesised = (): string[] => ['--app', this.outputFolder];

  async #run(...args: string[]): Promise<string> {
    const all = [...args, '--no-notices', '--ci', '--progress', 'events'];
    const command = join(root, 'bin/cdk.sh');
    const output = await run(this.#processes, 'sh', [command, ...all], { environment: this.#app.variables });
    return output.replaceAll(/\u001b\[[0-9;]*m/g, '');
  }
}

/** The value of an output as `cdk deploy` prints it. Throws when there is none. */
export function outputOf(printed: string, name: string): string {
  const value = new RegExp(`^\\S+\\.${name} = (.+)$`, 'm').exec(printed)?.[1];
  if (value === undefined) throw new Error(`cdk deploy printed no output ${name}:\n${printed}`);
  return value;
}
