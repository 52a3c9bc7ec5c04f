import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ListBuildsForProjectCommand } from '@aws-sdk/client-codebuild';
import { deployTarball, followNewest, warningClient } from '../../lib/cli/first-agent/client.ts';
import { tarballOfFolder } from '../../lib/cli/first-agent/first-agent.ts';
import type { Client } from '../../lib/client/client.ts';
import {
  api,
  create,
  deploymentOf,
  ended,
  expectApi,
  helloFrom,
  type Installation,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { say } from '../support/run/progress.ts';
import { until } from '../support/until.ts';
import type { Environment } from './environment.ts';
import type { Reach } from './switch.ts';

/** A build may wait for a machine, and takes some minutes on a small one. */
const REVISION_TIMEOUT_MS = 40 * 60_000;
const DELETION_TIMEOUT_MS = 10 * 60_000;
/** A listener asks every few seconds, and starts what should run. */
const SERVES_TIMEOUT_MS = 5 * 60_000;

/** What is deployed: see server.js there. */
const SERVER = fileURLToPath(new URL('server', import.meta.url));

/** The folder of a server that calls itself `version`. */
export async function serverIn({ folder }: Environment, version: string): Promise<string> {
  const copy = await mkdtemp(join(folder, `server-${version}-`));
  await cp(SERVER, copy, { recursive: true });
  const server = join(copy, 'server.js');
  const text = await readFile(server, 'utf8');
  await writeFile(server, text.replace("VERSION = 'v1'", `VERSION = '${version}'`));
  return copy;
}

/** Uploads the folder to the deployment, which makes a revision of it. */
export async function uploadFolder(slipway: Installation, id: string, folder: string): Promise<Client> {
  const client = warningClient(slipway.baseUrl, slipway.apiKey, say);
  await deployTarball(client, id, await tarballOfFolder(folder));
  return client;
}

/** Uploads the folder to the deployment and waits until it serves. */
export async function deployFolder(slipway: Installation, id: string, folder: string): Promise<void> {
  const client = await uploadFolder(slipway, id, folder);
  await followNewest(client, id, (line) => say(`  ${line}`));
}

/** Makes a deployment that waits for its first tarball, and gives its id. */
export async function makeDeployment(
  slipway: Installation,
  name: string,
  more: { source_config?: object; secrets?: object[] } = {},
): Promise<string> {
  const body = { name, source: 'internal_source', source_config: {}, source_revision_config: {}, ...more };
  return (await expectApi<ShownDeployment>(slipway, 'POST', '/v2/deployments', body, 201)).id;
}

/** Where a deployment answers. Throws when it has no address. */
export async function addressOf(slipway: Installation, id: string): Promise<string> {
  const { source_config } = await deploymentOf(slipway, id);
  if (source_config.custom_url === null) throw new Error(`Deployment ${id} has no address`);
  return source_config.custom_url;
}

/**
 * Builds a repository, waits until what was built answers, and deletes it. Gives whether the build has
 * fetched submodules. Throws when it could not.
 */
export async function deployRepository(
  slipway: Installation,
  { url, ref }: { url: string; ref: string },
  { reach, source_config, secrets }: { reach: Reach; source_config?: object; secrets?: object[] },
): Promise<{ hasSubmodules: boolean }> {
  const made = await create(slipway, 'repository', url, {
    source_config: { repo_url: url, ...source_config },
    source_revision_config: { repo_ref: ref },
    ...(secrets !== undefined && { secrets }),
  });
  let log = '';
  await followNewest(warningClient(slipway.baseUrl, slipway.apiKey, say), made.id, (line) => {
    log += `${line}\n`;
    say(`  ${line}`);
  });
  // In the words of lib/builds/codebuild/source/git.ts.
  if (log.includes('the submodules are incomplete')) throw new Error(`Submodules of ${url} are incomplete`);
  const answer = await reach(`${await addressOf(slipway, made.id)}/ok`);
  if (!answer.ok) throw new Error(`What was built of ${url} answers GET /ok with ${answer.status}`);
  await remove(slipway, made.id, reach);
  return { hasSubmodules: log.includes('Fetching submodules') };
}

/** Throws unless the deployment's server calls itself `version`. */
export async function expectVersion(slipway: Installation, id: string, version: string): Promise<void> {
  const { version: serving } = await helloFrom(await deploymentOf(slipway, id));
  if (serving !== version) throw new Error(`${serving} serves, not ${version}`);
}

/** Waits until it does: a listener that was started again has to start what should run. */
export const untilServes = (slipway: Installation, id: string, version: string): Promise<boolean> =>
  until(
    () =>
      expectVersion(slipway, id, version).then(
        () => true,
        () => false,
      ),
    { timeoutMs: SERVES_TIMEOUT_MS, what: `${version} to serve again` },
  );

/** Changes a deployment, and waits for the revision that this makes, if any. Throws unless that ends well. */
export async function change(slipway: Installation, id: string, body: object): Promise<void> {
  const { latest_revision_id: before } = await deploymentOf(slipway, id);
  const { latest_revision_id: after } = await patch(slipway, id, body);
  if (after !== before) await untilDeployed(slipway, id, after);
}

async function untilDeployed(slipway: Installation, id: string, revisionId: string): Promise<void> {
  const revision = await ended(slipway, id, revisionId, REVISION_TIMEOUT_MS);
  if (revision.status !== 'DEPLOYED') throw new Error(`${revision.status}: ${revision.status_message}`);
}

/** Deploys again what a revision ran. Throws unless that ends well. */
export async function redeploy(slipway: Installation, id: string, revisionId: string): Promise<void> {
  const path = `/v2/deployments/${id}/revisions/${revisionId}/redeploy`;
  const made = await expectApi<ShownDeployment>(slipway, 'POST', path, {}, 200);
  await untilDeployed(slipway, id, made.latest_revision_id);
}

/** Deletes a deployment, and waits until nothing of it is left. `ask`: how its address is reached. */
export async function remove(slipway: Installation, id: string, ask: Reach = fetch): Promise<void> {
  const { source_config } = await deploymentOf(slipway, id);
  await expectApi(slipway, 'DELETE', `/v2/deployments/${id}`, undefined, 204);
  const isGone = async () => (await api(slipway, 'GET', `/v2/deployments/${id}`)).status === 404;
  await until(isGone, { timeoutMs: DELETION_TIMEOUT_MS, what: `deployment ${id} to be gone` });
  const { status } = await ask(source_config.custom_url ?? '');
  if (status !== 404) throw new Error(`Its address answers with ${status} after its deletion`);
}

/** How many builds the environment has started. */
export async function buildsOf({ account, name }: Environment): Promise<number> {
  const asked = new ListBuildsForProjectCommand({ projectName: `slipway-${name}-builds` });
  return (await account.clients.builds.send(asked)).ids?.length ?? 0;
}

/** What must still be there when all but the data was made anew: what a user would miss. */
export async function keptBy(slipway: Installation): Promise<object> {
  const ids = async (path: string) => {
    const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
      slipway,
      'GET',
      path,
      undefined,
      200,
    );
    return resources.map((one) => [one.id, one.latest_revision_id]);
  };
  const [deployments, keys, listeners] = await Promise.all(
    ['/v2/deployments?limit=100', '/v2/api-keys', '/v2/listeners'].map(ids),
  );
  return { deployments, keys, listeners };
}
