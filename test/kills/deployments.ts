import { setTimeout as delay } from 'node:timers/promises';
import { gitRepositoryIn, type TestRepository } from '../support/files/git-repository.ts';
import { newFolder } from '../support/files/temporary-folder.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  helloFrom,
  type Program,
  type ShownDeployment,
} from '../support/programs/program.ts';

/** npm, in front of each build, would take longer than all else. */
const build_command = 'sh build.sh';
const filesOf = (version: number) => helloFiles(`v${version}`, { 'build.sh': '' });

/** A deployment that serves version after version, while the program is killed under it. */
export type Served = { repository: TestRepository; deployment: ShownDeployment; version: number };

export async function serve(program: Program, folder: string, name: string): Promise<Served> {
  const repository = await gitRepositoryIn(await newFolder(folder), await filesOf(1));
  const made = await create(program, name, repository.url, {
    source_config: { repo_url: repository.url, build_command },
  });
  return { repository, deployment: await deployed(program, made), version: 1 };
}

/**
 * Commits the next version and asks for two revisions of it. The program may die meanwhile: each request is
 * repeated under its key until it is answered by whichever program runs then. Gives the revisions in their
 * order.
 */
export async function change(served: Served, program: () => Program): Promise<[string, string]> {
  served.version += 1;
  await served.repository.commit(await filesOf(served.version));
  return [await patchSurely(served, program), await patchSurely(served, program)];
}

async function patchSurely({ deployment }: Served, program: () => Program): Promise<string> {
  const key = crypto.randomUUID();
  for (;;) {
    const { baseUrl, apiKey } = program();
    const answer = await fetch(`${baseUrl}/v2/deployments/${deployment.id}`, {
      method: 'PATCH',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ source_revision_config: { repo_ref: 'main' } }),
    }).catch(() => undefined);
    if (answer?.status === 200) {
      const shown = (await answer.json()) as ShownDeployment; // the API's own
      return shown.latest_revision_id;
    }
    if (answer !== undefined) throw new Error(`PATCH answered ${answer.status}: ${await answer.text()}`);
    await delay(50);
  }
}

/** What a deployment's address answered since a program came back. */
export type Answers = { servedMs: number | undefined; versions: number[]; failures: string[] };

/** Whether a deployment's newest version is what its address answers with. */
export const isServed = async ({ deployment, version }: Served): Promise<boolean> =>
  (await helloFrom(deployment)).version === `v${version}`;

/**
 * Asks a deployment's address over and over until `signal`; from its first answer on none may fail. Times
 * since `startedAt`.
 */
export async function follow(
  { deployment }: Served,
  startedAt: number,
  signal: AbortSignal,
): Promise<Answers> {
  const answers: Answers = { servedMs: undefined, versions: [], failures: [] };
  while (!signal.aborted) {
    try {
      const version = Number((await helloFrom(deployment)).version.slice(1));
      answers.servedMs ??= performance.now() - startedAt;
      if (answers.versions.at(-1) !== version) answers.versions.push(version);
    } catch (error) {
      if (answers.servedMs !== undefined) answers.failures.push(String(error));
    }
    await delay(100);
  }
  return answers;
}
