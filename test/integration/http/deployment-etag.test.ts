import { describe, expect, it } from 'vitest';
import { ask, creating, start } from '../../support/http/keyed-requests.ts';

const tagOf = ({ headers }: { headers?: Record<string, unknown> | undefined }) => String(headers?.ETag);

async function aDeployment() {
  const { world, apiKey } = await start();
  const made = await ask(world, creating(apiKey));
  const params = { deployment_id: String(made.json.id) };
  const get = { operation: 'getDeployment', apiKey, params };
  const patch = { operation: 'patchDeployment', apiKey, params, body: { display_name: 'other' } };
  return { world, apiKey, params, get, patch, made };
}

describe('the ETag of a deployment', () => {
  it('tells that nothing of what is shown has changed', async () => {
    const { world, get, made } = await aDeployment();
    const tag = tagOf(await ask(world, get));
    expect(tag).toMatch(/^"1\.[\w-]{22}"$/);
    expect(tagOf(made)).toBe(tag);
    for (const asked of [tag, `"0", W/${tag}`, '*']) {
      const again = await ask(world, { ...get, headers: { 'if-none-match': asked } });
      expect(again).toMatchObject({ statusCode: 304, headers: { ETag: tag } });
    }
  });

  it('changes with what else is shown, though the configuration stays', async () => {
    const { world, apiKey, params, get } = await aDeployment();
    const tag = tagOf(await ask(world, get));
    await ask(world, { operation: 'deleteDeployment', apiKey, params });
    const after = await ask(world, { ...get, headers: { 'if-none-match': tag } });
    expect(after).toMatchObject({ statusCode: 200, json: { status: 'AWAITING_DELETE' } });
    expect(tagOf(after)).not.toBe(tag);
    // By the count alone nothing is told to be unchanged.
    expect(await ask(world, { ...get, headers: { 'if-none-match': '"1"' } })).toMatchObject({
      statusCode: 200,
    });
  });

  it('is compared by its count alone before a change', async () => {
    const { world, get, patch } = await aDeployment();
    const tag = tagOf(await ask(world, get));
    const matching = (asked: string) => ask(world, { ...patch, headers: { 'if-match': asked } });
    for (const stale of ['"0"', tag.replace('"1.', '"2.'), '"1', `W/${tag}`])
      expect(await matching(stale)).toMatchObject({ statusCode: 412 });
    const changed = await matching(tag);
    expect(changed).toMatchObject({ statusCode: 200 });
    expect(tagOf(changed)).toMatch(/^"2\./);
    expect(await matching(tag)).toMatchObject({
      statusCode: 412,
      json: { detail: `If-Match names version ${tag}, but the current version is "2".` },
    });
    for (const now of ['"2"', '"2.anything"', '"7", "2"', '*'])
      expect(await matching(now)).toMatchObject({ statusCode: 200 });
  });

  it('need not match where an empty one is sent', async () => {
    const { world, get, patch } = await aDeployment();
    for (const empty of ['', ' '])
      expect(await ask(world, { ...patch, headers: { 'if-match': empty } })).toMatchObject({
        statusCode: 200,
      });
    expect(await ask(world, { ...get, headers: { 'if-none-match': '' } })).toMatchObject({ statusCode: 200 });
  });
});
