import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { childEnvironment } from '../../lib/processes/environment.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { api, expectApi, type Program, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const block = /Deploy the example[^\n]*\n\n([^]*?; done)\n/;

/** The line that a program prints for a reader's shell. Throws where it prints none. */
export function shellLineOf({ output }: Pick<Program, 'output'>): string {
  const [, line] = /^ {4}(export SLIPWAY_URL=\S+ SLIPWAY_API_KEY=\S+)$/m.exec(output()) ?? [];
  if (line === undefined) throw new Error('no line for a shell is printed');
  return line;
}

/** Pastes a text into a shell, which reads it as it would read a terminal, and gives what was printed. */
async function paste(shell: string, pasted: string): Promise<{ output: string; complaints: string }> {
  const cwd = await temporaryFolder();
  // The repository that the block makes goes into this folder too, and with it.
  const child = spawn(shell, [], { cwd, env: childEnvironment({ TMPDIR: cwd, HOME: cwd }) });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stdin.end(`${pasted}\n`);
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { output, complaints };
}

/** So that their names are free for whoever pastes the same text next. */
export async function removeDeployments(program: Program, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = `/v2/deployments?name=${name}`;
    const page = await expectApi<{ resources: ShownDeployment[] }>(program, 'GET', path, undefined, 200);
    for (const { id } of page.resources) {
      await api(program, 'DELETE', `/v2/deployments/${id}`);
      const isGone = async () => (await api(program, 'GET', `/v2/deployments/${id}`)).status === 404;
      await until(isGone, { what: 'the deployment to be gone' });
    }
  }
}

/** What a program prints at its start, which calls a deployment `hello`. */
export function bannerTests(program: () => Program): void {
  it('the line of the banner, pasted into a shell, says where the installation is and who asks', async () => {
    const asked = 'curl -fsS "$SLIPWAY_URL/v2/me" -H "X-Api-Key: $SLIPWAY_API_KEY"';
    const { output, complaints } = await paste('sh', `${shellLineOf(program())}\n${asked}`);
    expect(complaints).toBe('');
    expect(JSON.parse(output)).toMatchObject({ tenant_id: program().tenantId });
  });

  it.each(['sh', 'bash'])(
    'the block of the banner, pasted as it is into %s, deploys the example',
    async (shell) => {
      onTestFinished(() => removeDeployments(program(), ['hello']));
      const printed = () => block.exec(program().output())?.[1];
      // A person would ask once more after its minute.
      const pasted = (await until(printed, { what: 'the block' })).replace('$(seq 60)', '$(seq 1000)');
      const { output, complaints } = await paste(shell, pasted);
      expect(complaints).toBe('');
      const answers = output
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(answers).toEqual([
        expect.objectContaining({ name: 'hello' }),
        { message: 'Hello from Slipway', greeting: null, version: 'v1' },
      ]);
    },
  );
}
