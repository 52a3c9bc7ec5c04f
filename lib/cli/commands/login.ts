import { createClient } from '../../client/client.ts';
import { withoutTrailing } from '../../contract/trailing.ts';
import { command } from '../shell/command.ts';
import { Ended, UsageError } from '../shell/ends.ts';
import { readProfiles, removeProfile, saveProfile } from '../shell/profiles.ts';
import type { Shell } from '../shell/shell.ts';

const login = command({
  name: 'login',
  args: 'URL',
  says: 'Store a key for an installation as a profile, and use it from now on',
  more: 'On a terminal the key is asked for, unseen; --key-stdin reads it. It is tried before it is stored.',
  examples: [
    'slipway login https://slipway.example.com',
    'pass show slipway | slipway login https://… --as prod --key-stdin',
  ],
  flags: {
    as: { value: 'NAME', says: "what the profile is called (default: the address's host)" },
    'key-stdin': { says: 'read the key from stdin' },
  },
  async run(shell, { as, 'key-stdin': isPiped }, [address = '']) {
    const { output, world } = shell;
    if (!/^https?:\/\//.test(address) || !URL.canParse(address))
      throw new UsageError(`'${address}' is no address of an installation: https://…`);
    const url = withoutTrailing(address, '/');
    const name = as ?? new URL(url).host;
    const apiKey = await typedKey(shell, url, isPiped === true);
    const client = createClient({ url, credentials: { apiKey }, fetch: world.fetch });
    const me = await client.ask('GET /v2/me', {}, { signal: world.signal });
    const { tenant_id: tenant, expires_at: end } = me;
    saveProfile(world, name, {
      url,
      api_key: apiKey,
      ...(tenant !== null && { tenant_id: tenant }),
      ...(end !== null && { expires_at: end }),
    });
    const json = { profile: name, url, tenant_id: tenant, role: me.role, expires_at: end };
    output.result(json, [
      `${name}: ${me.role ?? 'signed in'} at ${url}${end === null ? '' : ` until ${end}`}`,
    ]);
  },
});

async function typedKey({ canAsk, world }: Shell, url: string, isPiped: boolean): Promise<string> {
  if (!isPiped && !canAsk) throw new UsageError('Nobody is there to type a key: --key-stdin reads it.');
  const typed = isPiped ? await world.stdin.text() : await world.stdin.line(`Key for ${url}: `, true);
  const key = (typed ?? '').trim();
  // A header takes no line break, nor what is no ASCII.
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return key;
  throw new UsageError(
    key === '' ? 'No key was given.' : 'That is no key: it has spaces, or more than one line.',
  );
}

const logout = command({
  name: 'logout',
  args: '[PROFILE]',
  says: 'Forget a profile and its key, which stays valid until it is revoked or expires',
  examples: ['slipway logout', 'slipway logout staging'],
  flags: {},
  async run({ output, world }, _, [wanted]) {
    const name = wanted ?? readProfiles(world).current;
    if (name === undefined) throw new Ended('No profile is in use: slipway profiles lists them.');
    if (!removeProfile(world, name)) throw new Ended(`There is no profile '${name}'.`);
    output.result({ profile: name }, [`${name} is forgotten`]);
  },
});

export const logins = [login, logout];
