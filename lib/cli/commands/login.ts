import { createClient } from '../../client/client.ts';
import { Refusal } from '../../client/refusal.ts';
import { withoutTrailing } from '../../contract/trailing.ts';
import { command } from '../shell/command.ts';
import { logInByCode } from '../shell/device-login.ts';
import { Ended, UsageError } from '../shell/ends.ts';
import { plain } from '../shell/output.ts';
import { type Profile, readProfiles, removeProfile, saveProfile } from '../shell/profiles.ts';
import type { Shell } from '../shell/shell.ts';
import type { World } from '../shell/world.ts';

const login = command({
  name: 'login',
  args: '[URL]',
  says: 'Get a key for an installation, store it as a profile, and use it from now on',
  more: 'You type the code that it shows on a page of the console, and confirm it; --key-stdin takes a key you have.',
  examples: [
    'slipway login https://slipway.example.com',
    'pass show slipway | slipway login https://… --as prod --key-stdin',
  ],
  flags: {
    as: { value: 'NAME', says: "what the profile is called (default: the address's host)" },
    'key-stdin': { says: 'read the key from stdin' },
  },
  async run(shell, { as, 'key-stdin': isPiped }, [given]) {
    const { output, world } = shell;
    const address = given ?? shell.knownAddress;
    if (address === undefined) throw new UsageError('Which installation? slipway login https://…');
    if (!/^https?:\/\//.test(address) || !URL.canParse(address))
      throw new UsageError(`'${address}' is no address of an installation: https://…`);
    const url = withoutTrailing(address, '/');
    const name = as ?? new URL(url).host;
    const { role, ...profile } = isPiped === true ? await withOwnKey(world, url) : await withCode(shell, url);
    saveProfile(world, name, { url, ...profile });
    const { tenant_id: tenant = null, expires_at: end = null } = profile;
    output.result({ profile: name, url, tenant_id: tenant, role, expires_at: end }, [
      plain(`${name}: ${role ?? 'signed in'} at ${url}${end === null ? '' : ` until ${end}`}`),
    ]);
  },
});

type Signed = Omit<Profile, 'url'> & { role: string | null };

async function withCode(shell: Shell, url: string): Promise<Signed> {
  if (!shell.canAsk)
    throw new UsageError('Nobody is there to confirm a code: --key-stdin reads a key from stdin.');
  const { access_token: api_key, tenant_id, role, expires_at } = await logInByCode(shell, url);
  return { api_key, tenant_id, role, expires_at };
}

async function withOwnKey(world: World, url: string): Promise<Signed> {
  const apiKey = keyIn(await world.stdin.text());
  const client = createClient({ url, credentials: { apiKey }, fetch: world.fetch });
  const me = await client.ask('GET /v2/me', {}, { signal: world.signal });
  return {
    api_key: apiKey,
    role: me.role,
    ...(me.tenant_id !== null && { tenant_id: me.tenant_id }),
    ...(me.expires_at !== null && { expires_at: me.expires_at }),
  };
}

function keyIn(text: string): string {
  const key = text.trim();
  // A header takes no line break, nor what is no ASCII.
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return key;
  throw new UsageError(
    key === '' ? 'No key was given.' : 'That is no key: it has spaces, or more than one line.',
  );
}

const logout = command({
  name: 'logout',
  args: '[PROFILE]',
  says: 'Forget a profile, and end its key if slipway login got it',
  more: 'A key that was read from stdin stays valid until it is revoked or expires.',
  examples: ['slipway logout', 'slipway logout staging'],
  flags: {},
  async run({ output, world }, _, [wanted]) {
    const { current, profiles } = readProfiles(world);
    const name = wanted ?? current;
    if (name === undefined) throw new Ended('No profile is in use: slipway profiles lists them.');
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (profile === undefined) throw new Ended(`There is no profile '${name}'.`);
    const left = await keyLeft(world, profile);
    removeProfile(world, name);
    output.result({ profile: name, key_left: left ?? null }, [
      plain(
        `${name} is forgotten${left === undefined ? ', and its key is over' : `; its key stays valid: ${left}`}`,
      ),
    ]);
  },
});

const LOGOUT_MILLISECONDS = 10_000;

/** Ends a key of a login. Why it is left; undefined: it is over. */
async function keyLeft(world: World, { url, api_key: apiKey }: Profile): Promise<string | undefined> {
  const more = { triesMax: 1, timeoutMilliseconds: LOGOUT_MILLISECONDS };
  const client = createClient({ url, credentials: { apiKey }, fetch: world.fetch, ...more });
  try {
    await client.ask('DELETE /v2/device/token', {}, { signal: world.signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === UNAUTHENTICATED) return undefined;
    return error.code === 'state_forbids' ? 'slipway login did not get it.' : error.detail;
  }
}
const UNAUTHENTICATED = 401;

export const logins = [login, logout];
