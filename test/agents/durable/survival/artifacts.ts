import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jobFor, setUp } from '../../../integration/builder/set-up.ts';
import { gitRepository } from '../../../support/files/git-repository.ts';
import type { DurableMachine, DurableSpec } from '../machine.ts';
import { CONFIG, graphsOf } from './graph.ts';

const run = promisify(execFile);

/** Revisions of one deployment, each with nodes of other names. Their artifacts are on the machine already. */
export class Revisions {
  readonly #machine: DurableMachine;
  readonly #deploymentId = randomUUID();
  #tarball: Buffer | undefined;
  #first: string | undefined;
  #made = 0;

  constructor(machine: DurableMachine) {
    this.#machine = machine;
  }

  /** Builds the first one, from its sources. */
  async build(): Promise<void> {
    const { run: build, blobs } = await setUp();
    const { url } = await gitRepository({
      'langgraph.json': CONFIG,
      'requirements.txt': 'langgraph\n',
      'agent.py': graphsOf(this.nameOf(0)),
    });
    const { state, log } = await build(jobFor(url, { durable: 'asked' }));
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error(log.join('\n'));
    this.#tarball = Buffer.concat(await blobs.read(state.artifact.key).toArray());
  }

  nameOf = (number: number): string => `build${String(number).padStart(2, '0')}`;

  /** The next revision. The packages of all are the same files, those of the first, which was deployed. */
  async next(environment: DurableSpec['environment']): Promise<DurableSpec> {
    if (this.#tarball === undefined) throw new Error('nothing was built');
    const number = this.#made++;
    const deployment = { deployment_id: this.#deploymentId, deployment_name: 'survivor', epoch: number + 1 };
    const spec = this.#machine.spec(this.#tarball, { ...deployment, environment });
    if (this.#first === undefined) {
      this.#first = this.folderOf(spec.revision_id);
      return spec;
    }
    const folder = this.folderOf(spec.revision_id);
    const source = graphsOf(this.nameOf(number));
    await run('cp', ['-al', this.#first, `${folder}.partial`]);
    for (const name of ['agent.py', '__pycache__'])
      await rm(join(`${folder}.partial`, name), { recursive: true, force: true });
    await writeFile(join(`${folder}.partial`, 'agent.py'), source);
    await run('mv', [`${folder}.partial`, folder]);
    const sha256 = createHash('sha256').update(source).digest('hex');
    return { ...spec, artifact: { kind: 'folder', url: '', sha256 } };
  }

  folderOf(revisionId: string): string {
    return join(this.#machine.dataFolder, 'deployments', this.#deploymentId, 'revisions', revisionId);
  }
}
