import { command } from '../shell/command.ts';
import { Ended } from '../shell/ends.ts';
import { readProfiles, writeProfiles } from '../shell/profiles.ts';

const list = command({
  name: 'profiles',
  args: '[NAME]',
  says: 'List the profiles, or use another one from now on',
  examples: ['slipway profiles', 'slipway profiles staging'],
  flags: {},
  async run({ output, world }, _, [name]) {
    const { current, profiles: all } = readProfiles(world);
    if (name !== undefined && !Object.hasOwn(all, name))
      throw new Ended(`There is no profile '${name}'; there are: ${Object.keys(all).join(', ') || 'none'}.`);
    if (name !== undefined) writeProfiles(world, { current: name, profiles: all });
    const used = name ?? current;
    const shown = Object.entries(all).map(([each, { url, tenant_id, expires_at }]) => ({
      name: each,
      url,
      tenant_id: tenant_id ?? null,
      expires_at: expires_at ?? null,
      is_current: each === used,
    }));
    const rows = shown.map((one) => [
      one.is_current ? `${one.name} *` : one.name,
      one.url,
      one.tenant_id ?? '',
      one.expires_at ?? '',
    ]);
    output.result(
      shown,
      rows.length === 0 ? [] : output.table(['NAME', 'ADDRESS', 'TENANT', 'EXPIRES'], rows),
    );
  },
});

const whoami = command({
  name: 'whoami',
  args: '',
  says: 'Show who you are here, where that comes from, and what you may do',
  examples: ['slipway whoami', 'slipway whoami --json'],
  flags: {},
  async run({ output, world, client, access }) {
    const me = await client.ask('GET /v2/me', {}, { signal: world.signal });
    const tenant = me.tenants.find(({ id }) => id === me.tenant_id);
    const facts = output.facts([
      ['Address', access.url],
      ['From', access.source],
      ['User', me.user_id],
      ['Role', me.role],
      ['Tenant', tenant === undefined ? me.tenant_id : `${tenant.name} (${tenant.id})`],
      ['Job', me.exchange && [me.exchange.repository, me.exchange.ref].filter(Boolean).join(' at ')],
      ['Expires', me.expires_at],
    ]);
    output.result({ url: access.url, source: access.source, profile: access.profile ?? null, ...me }, facts);
  },
});

export const profiles = [list, whoami];
