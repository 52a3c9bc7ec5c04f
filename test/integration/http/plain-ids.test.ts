import { expect, it } from 'vitest';
import { WireRecord } from '../../support/wire/wire.ts';
import { open } from '../../support/wire/wired-world.ts';

/** No provider can be called so, and a request may ask for it all the same. */
const names = ['no such', 'gh#', 'ü/😀', '__proto__', 'x'.repeat(2048), '..'];

it('a provider of any name is unknown rather than malformed', async () => {
  const { refused } = await open(new WireRecord());
  for (const providerId of names) {
    const query = { provider_id: providerId };
    const asking = {
      listTokens: { query },
      tokenExists: { query },
      deleteTokens: { query },
      importToken: { body: { provider_id: providerId, access_token: 'x' } },
      authenticate: { body: { provider: providerId, scopes: [] } },
      ...(providerId !== '..' && {
        getProvider: { params: query },
        patchProvider: { params: query, body: {} },
        deleteProvider: { params: query },
        callback: { params: query, body: { state: 's', code: 'c' } },
      }),
    };
    for (const [operation, request] of Object.entries(asking))
      await refused('oauth_provider_not_found', { providerId }, operation, request);
  }
});

it('so is a token', async () => {
  const { refused } = await open(new WireRecord());
  for (const id of [...names, 'not-a-uuid', 'X#A']) {
    const request = { params: { agent_id: 'support' }, body: { oauth_token_id: id } };
    await refused('oauth_token_not_found', { id }, 'createConnection', request);
  }
});

it('a token is found whatever the case of its id', async () => {
  const { ask } = await open(new WireRecord());
  const addresses = { auth_url: 'http://127.0.0.1:9/a', token_url: 'http://127.0.0.1:9/t' };
  const provider = { provider_id: 'idp', name: 'n', client_id: 'c', client_secret: 's', ...addresses };
  await ask('createProvider', { body: provider });
  const { id } = await ask('importToken', { body: { provider_id: 'idp', access_token: 'x' } });
  const params = { agent_id: 'support' };
  const body = { oauth_token_id: id.toUpperCase() };
  expect(await ask('createConnection', { params, body })).toMatchObject({ oauth_token_id: id });
});
