import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { objectIn } from './profiles.ts';
import type { World } from './world.ts';

/** What `npm start` keeps in its data folder: the address and the first key of the installation on this machine. */
export type LocalCredentials = { file: string; url: string; apiKey: string; tenantId?: string };
/** `refused`: why a file that was found is not used. */
export type LocalSearch = { found: LocalCredentials | undefined; refused: string | undefined };

const FILE = join('.slipway', 'credentials.json');
const OTHERS = 0o077;

/** Every folder from here up to the root. */
export function* foldersUp(from: string): Generator<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

/**
 * The nearest `.slipway/credentials.json` upwards. It is used only when nobody but this user can have written
 * or read it, and when it is for this machine: a repository that somebody cloned must not choose where
 * requests go.
 */
export function findLocalCredentials(world: Pick<World, 'cwd' | 'userId'>): LocalSearch {
  for (const folder of foldersUp(world.cwd)) {
    const file = join(folder, FILE);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) continue;
    const refuse = (why: string): LocalSearch => ({
      found: undefined,
      refused: `${file} is not used: ${why}.`,
    });
    if (!found.isFile()) return refuse('it is no plain file');
    if (world.userId !== undefined && found.uid !== world.userId) return refuse('it belongs to another user');
    if (world.userId !== undefined && (found.mode & OTHERS) !== 0)
      return refuse('others may read it (chmod 600 makes it private)');
    if (isTracked(folder)) return refuse('git tracks it');
    const credentials = credentialsIn(file);
    if (credentials === undefined) return refuse('it has no base_url and api_key');
    if (!isLoopback(credentials.url)) return refuse(`its address ${credentials.url} is not on this machine`);
    return { found: credentials, refused: undefined };
  }
  return { found: undefined, refused: undefined };
}

function credentialsIn(file: string): LocalCredentials | undefined {
  const { base_url: url, api_key: apiKey, tenant_id: tenantId } = objectIn(readFileSync(file, 'utf8')) ?? {};
  if (typeof url !== 'string' || typeof apiKey !== 'string' || !URL.canParse(url)) return undefined;
  return { file, url, apiKey, ...(typeof tenantId === 'string' && { tenantId }) };
}

/** Whether an address is of this machine. */
export function isLoopback(url: string): boolean {
  const { hostname, protocol } = new URL(url);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  return isHere && (protocol === 'http:' || protocol === 'https:');
}

/** Where git cannot tell, as in a repository of another user, the file counts as tracked. */
function isTracked(folder: string): boolean {
  const isInRepository = [...foldersUp(folder)].some((each) => existsSync(join(each, '.git')));
  if (!isInRepository) return false;
  // A repository's own settings can name programs that git runs.
  const args = ['-c', 'core.fsmonitor=false', 'ls-files', '--error-unmatch', '--', FILE];
  const { status } = spawnSync('git', args, { cwd: folder, stdio: 'ignore' });
  return status !== 1;
}
