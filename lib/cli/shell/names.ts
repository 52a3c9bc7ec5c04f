import { isEnded } from '../../client/client.ts';
import type { Deployment, Revision } from '../../client/endpoints.ts';
import { Refusal } from '../../client/refusal.ts';
import { numberOf } from '../../client/revision.ts';
import { Ended, UsageError } from './ends.ts';
import { nearest } from './nearest.ts';
import type { Shell } from './shell.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const COMPARED_NAMES_MAX = 100;

/** What a deployment is called here: the name that was given, else the link's. */
export function nameGiven(shell: Shell, given: string | undefined): string {
  const name = given ?? shell.link?.name;
  if (name !== undefined) return name;
  throw new UsageError('Which deployment? Name it, or work in a folder with a slipway.json.');
}

/** The deployment of a name or an id; undefined: there is none. A name may look like an id. */
export async function findDeployment(shell: Shell, name: string): Promise<Deployment | undefined> {
  const { client, world } = shell;
  const { signal } = world;
  const found = UUID.test(name) ? await deploymentById(shell, name) : undefined;
  if (found !== undefined) return found;
  const { resources } = await client.ask('GET /v2/deployments', { query: { name } }, { signal });
  // What is not asked for by its very name is never meant.
  return resources.find((one) => one.name === name);
}

const NOT_FOUND = 404;

const deploymentById = ({ client, world }: Shell, id: string): Promise<Deployment | undefined> =>
  client
    .ask('GET /v2/deployments/{deployment_id}', { params: { deployment_id: id } }, { signal: world.signal })
    .catch((error: unknown) => {
      if (error instanceof Refusal && error.status === NOT_FOUND) return undefined;
      throw error;
    });

/** The deployment that was named, else that of the folder. Throws `Ended` when there is none. */
export async function deploymentOf(shell: Shell, given: string | undefined): Promise<Deployment> {
  const name = nameGiven(shell, given);
  const found = await findDeployment(shell, name);
  if (found !== undefined) return found;
  const query = { limit: COMPARED_NAMES_MAX };
  const { resources } = await shell.client.ask(
    'GET /v2/deployments',
    { query },
    { signal: shell.world.signal },
  );
  const near = nearest(
    name,
    resources.map((one) => one.name),
  );
  const hint = near === undefined ? 'slipway list shows all.' : `Did you mean '${near}'?`;
  throw new Ended(`There is no deployment '${name}'. ${hint}`);
}

export const getRevision = ({ client, world }: Shell, { id }: Pick<Deployment, 'id'>, revisionId: string) =>
  client.ask(
    'GET /v2/deployments/{deployment_id}/revisions/{revision_id}',
    { params: { deployment_id: id, revision_id: revisionId } },
    { signal: world.signal },
  );

/** A revision by its number, its id, `latest` or `active`. Throws `Ended` when there is none. */
export async function revisionOf(shell: Shell, deployment: Deployment, given: string): Promise<Revision> {
  const { name, latest_revision_id: latest, active_revision_id: active } = deployment;
  if (given === 'latest') return getRevision(shell, deployment, latest);
  if (given === 'active') {
    if (active === null) throw new Ended(`No revision of ${name} serves.`);
    return getRevision(shell, deployment, active);
  }
  if (UUID.test(given)) return getRevision(shell, deployment, given);
  if (!/^#?\d{1,9}$/.test(given))
    throw new UsageError(`'${given}' is no revision: give its number, its id, latest or active.`);
  const number = Number(given.replace('#', ''));
  // The list is newest first and numbers have no gaps, so that a number is a place in it.
  const offset = numberOf(latest) - number;
  const page = offset < 0 ? [] : await revisionsFrom(shell, deployment, offset, 1);
  const found = page.find(({ id }) => numberOf(id) === number);
  if (found !== undefined) return found;
  throw new Ended(`${name} has no revision ${number}: its newest is ${numberOf(latest)}.`);
}

/** A page of revisions, newest first. */
export const revisionsFrom = async (
  { client, world }: Shell,
  { id }: Pick<Deployment, 'id'>,
  offset: number,
  limit: number,
): Promise<Revision[]> =>
  (
    await client.ask(
      'GET /v2/deployments/{deployment_id}/revisions',
      { params: { deployment_id: id }, query: { offset, limit } },
      { signal: world.signal },
    )
  ).resources;

/** The newest revision of a deployment while it has not ended; undefined: nothing is in progress. */
export async function revisionInProgress(
  shell: Shell,
  deployment: Deployment,
): Promise<Revision | undefined> {
  const open = [];
  for (const each of await revisionsFrom(shell, deployment, 0, COMPARED_NAMES_MAX)) {
    if (isEnded(each)) break;
    open.push(each);
  }
  // Revisions are processed in order: the oldest of those that have not ended has its turn.
  return open.at(-1);
}

const NAME_LENGTH_MAX = 63;

const isLetter = (one: string): boolean => one !== '-' && one !== '_';

/** A name that the service takes. */
export function nameFrom(text: string): string {
  const taken = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '-')
    .slice(0, NAME_LENGTH_MAX);
  // A name neither begins nor ends with a sign.
  const letters = taken.split('');
  const [first, last] = [letters.findIndex(isLetter), letters.findLastIndex(isLetter)];
  const name = first === -1 ? '' : taken.slice(first, last + 1);
  if (name !== '') return name;
  throw new UsageError(`No name can be made of '${text}': give --name NAME.`);
}
