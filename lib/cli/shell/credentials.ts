import { withoutTrailing } from '../../contract/trailing.ts';
import type { Everywhere } from './command.ts';
import { Ended, UsageError } from './ends.ts';
import { findLocalCredentials } from './local-credentials.ts';
import { profilesFile, readProfiles } from './profiles.ts';
import type { World } from './world.ts';

/** Where requests go and with which key; both always come from one source. */
export type Access = {
  url: string;
  apiKey: string;
  tenantId: string | undefined;
  /** Where both were found, for people. */
  source: string;
  /** The profile that they are from. */
  profile: string | undefined;
};

const NONE =
  'No installation is known. Set SLIPWAY_URL and SLIPWAY_API_KEY, make a profile (slipway login URL), or work below the folder of npm start.';

/** What of the machine decides it. */
export type Place = Pick<World, 'environment' | 'cwd' | 'home' | 'platform' | 'userId' | 'now'>;
type Asked = Pick<Everywhere, 'profile' | 'url' | 'api-key' | 'tenant'>;

/** The address that a key may be made for: where requests would go, also with a key that is over. */
export function knownAddress(world: Place, { profile: name, url }: Asked): string | undefined {
  const { current, profiles } = readProfiles(world);
  const used = name ?? current;
  const stored = used !== undefined && Object.hasOwn(profiles, used) ? profiles[used]?.url : undefined;
  if (name !== undefined) return stored;
  return url ?? (world.environment.SLIPWAY_URL || (stored ?? findLocalCredentials(world).found?.url));
}

/**
 * Flags come first, then the environment, then the profile in use, then `.slipway/credentials.json` upwards.
 * Throws `UsageError` for half of a source, `Ended` when there is none.
 */
export function accessOf(world: Place, asked: Asked): Access {
  const access = ofFlags(world, asked) ?? ofEnvironment(world) ?? ofProfile(world) ?? ofMachine(world);
  // Messages name the address, and fetch takes none with a password in it.
  if (/^https?:\/\/[^/]*@/.test(access.url))
    throw new UsageError(`The address of ${access.source} has a user name in it: https://HOST`);
  if (!/^https?:\/\//.test(access.url) || !URL.canParse(access.url))
    throw new UsageError(`'${access.url}' is no address of an installation (${access.source}): https://…`);
  // Which tenant is no credential, so it may come from elsewhere.
  const tenantId = asked.tenant ?? (world.environment.SLIPWAY_TENANT_ID || access.tenantId);
  return { ...access, url: withoutTrailing(access.url, '/'), tenantId };
}

function ofFlags(world: Place, { profile: name, url, 'api-key': apiKey }: Asked): Access | undefined {
  if (name !== undefined) {
    if (url !== undefined || apiKey !== undefined)
      throw new UsageError('--profile has an address and a key; give either it, or --url and --api-key.');
    return named(world, name, '--profile');
  }
  if (url === undefined && apiKey === undefined) return undefined;
  if (url === undefined)
    throw new UsageError('--api-key goes with --url: address and key come from one source.');
  if (apiKey !== undefined)
    return { url, apiKey, tenantId: undefined, source: '--url and --api-key', profile: undefined };
  const wanted = withoutTrailing(url, '/');
  const { profiles } = readProfiles(world);
  const found = Object.entries(profiles).find(([, one]) => withoutTrailing(one.url, '/') === wanted);
  if (found === undefined)
    throw new UsageError(
      `No profile is for ${url}: give --api-key too, or make one with slipway login ${url}.`,
    );
  return named(world, found[0], '--url');
}

function ofEnvironment({ environment }: Place): Access | undefined {
  const { SLIPWAY_URL: url = '', SLIPWAY_API_KEY: apiKey = '' } = environment;
  if (url === '' && apiKey === '') return undefined;
  if (url === '' || apiKey === '') {
    const [is, isNot] = url === '' ? ['SLIPWAY_API_KEY', 'SLIPWAY_URL'] : ['SLIPWAY_URL', 'SLIPWAY_API_KEY'];
    throw new UsageError(
      `${is} is set and ${isNot} is not: address and key come from one source, so set both.`,
    );
  }
  return { url, apiKey, tenantId: undefined, source: 'SLIPWAY_URL and SLIPWAY_API_KEY', profile: undefined };
}

function ofProfile(world: Place): Access | undefined {
  const { current } = readProfiles(world);
  return current === undefined ? undefined : named(world, current, profilesFile(world));
}

function named(world: Place, name: string, from: string): Access {
  const { profiles } = readProfiles(world);
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found === undefined) {
    const known = Object.keys(profiles).join(', ') || 'none';
    throw new Ended(`There is no profile '${name}' (${from}); there are: ${known}.`);
  }
  const { url, api_key: apiKey, tenant_id: tenantId, expires_at: end } = found;
  if (end !== undefined && Date.parse(end) <= world.now())
    throw new Ended(
      `The key of the profile '${name}' expired at ${end}. Make a new one: slipway login ${url}`,
    );
  return { url, apiKey, tenantId, source: `the profile '${name}'`, profile: name };
}

function ofMachine(world: Place): Access {
  const { found, refused } = findLocalCredentials(world);
  if (found === undefined) throw new Ended(refused === undefined ? NONE : `${NONE} ${refused}`);
  const { url, apiKey, tenantId, file } = found;
  return { url, apiKey, tenantId, source: file, profile: undefined };
}
