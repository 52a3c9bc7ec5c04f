import { join } from 'node:path';
import type { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { run } from '../support/programs/python-tools.ts';
import { awsEnvironment } from './aws-call.ts';
import { type Emulator, root } from './emulator.ts';

/** The emulator's account. */
export const ACCOUNT = '000000000000';
/**
 * What `cdk.json` is overridden with: an installation whose data goes with it, and that keeps few artifacts,
 * so that some are deleted.
 */
const CONTEXT = ['-c', 'environment=test', '-c', 'removal=destroy', '-c', 'keptArtifacts=1'];

/**
 * Runs the CDK's own command line against the emulator, with the app and context that a user has. Gives what
 * it printed.
 */
export class Cdk {
  readonly #processes: ProcessSupervisor;
  readonly #environment: Record<string, string>;
  /** Where the app is synthesised to. */
  readonly outputFolder: string;

  constructor(processes: ProcessSupervisor, { endpoint }: Emulator, folder: string) {
    this.#processes = processes;
    this.outputFolder = join(folder, 'cdk.out');
    // Its home is here too, so that it neither reads nor writes the user's own files.
    this.#environment = { ...awsEnvironment, AWS_ENDPOINT_URL: endpoint, HOME: folder, TMPDIR: folder };
  }

  synth(): Promise<string> {
    return this.#run('synth', '--quiet', '--output', this.outputFolder, ...CONTEXT);
  }

  bootstrap(): Promise<string> {
    return this.#run(
      'bootstrap',
      `aws://${ACCOUNT}/${awsEnvironment.AWS_REGION}`,
      '--app',
      this.outputFolder,
    );
  }

  /** Deploys what was synthesised, both stacks. */
  deploySynthesised(): Promise<string> {
    return this.#run('deploy', '--all', '--require-approval', 'never', '--app', this.outputFolder);
  }

  /** Synthesises and deploys, as a user does, with more context if given. */
  deploy(context: Record<string, string> = {}): Promise<string> {
    const more = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const output = ['--output', this.outputFolder];
    return this.#run('deploy', '--all', '--require-approval', 'never', ...output, ...CONTEXT, ...more);
  }

  /** Destroys all but what is kept. */
  destroyApplication(): Promise<string> {
    return this.#run('destroy', 'slipway-test', '--force', '--app', this.outputFolder);
  }

  destroy(): Promise<string> {
    return this.#run('destroy', '--all', '--force', '--app', this.outputFolder);
  }

  async #run(...args: string[]): Promise<string> {
    const all = [...args, '--no-notices', '--ci', '--progress', 'events'];
    const command = join(root, 'node_modules/.bin/cdk');
    const output = await run(this.#processes, command, all, { environment: this.#environment });
    return output.replaceAll(/\u001b\[[0-9;]*m/g, '');
  }
}

/** The value of an output as `cdk deploy` prints it. Throws when there is none. */
export function outputOf(printed: string, name: string): string {
  const value = new RegExp(`^\\S+\\.${name} = (.+)$`, 'm').exec(printed)?.[1];
  if (value === undefined) throw new Error(`cdk deploy printed no output ${name}:\n${printed}`);
  return value;
}
