import { expect, it } from 'vitest';
import { type At, slipway } from '../../support/programs/user-cli.ts';

const ID = '01a219a4-991a-7368-96cb-78cb912194cd';
const OTHER_ID = '01a219a4-991a-7368-96cb-000000000000';

/** An installation with the deployment `agent`, and one whose name looks like an id. */
function installation() {
  const sent: string[] = [];
  const all = [
    { id: ID, name: 'agent', url: 'http://agent' },
    { id: ID, name: OTHER_ID, url: 'http://odd' },
  ];
  const fetch: At['fetch'] = async (address, { method } = {}) => {
    const { pathname, searchParams } = new URL(String(address));
    sent.push(`${method} ${pathname}`);
    if (pathname === `/v2/deployments/${ID}`) return Response.json(all[0]);
    if (pathname !== '/v2/deployments')
      return Response.json({ detail: 'not found', code: 'x' }, { status: 404 });
    const name = searchParams.get('name');
    // One of another release might know no such filter.
    const isKnown = name !== null && name !== 'unfiltered';
    return Response.json({ resources: isKnown ? all.filter((one) => one.name === name) : all, offset: 2 });
  };
  const environment = { SLIPWAY_URL: 'http://localhost:1', SLIPWAY_API_KEY: 'key' };
  return { sent, run: (...args: string[]) => slipway({ fetch, environment }, args) };
}

it('an empty argument, as of a variable that is not set, names no deployment', async () => {
  const { sent, run } = installation();
  expect(await run('delete', '', '-y')).toMatchObject({
    exit: 2,
    stderr: 'An argument of slipway delete is empty.\n',
  });
  expect(await run('secrets', 'set', 'A=1', '')).toMatchObject({ exit: 2 });
  expect(await run('open', 'unfiltered')).toMatchObject({ exit: 1 });
  expect(sent.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

it('a deployment is found by its name, by its id, and by a name that looks like one', async () => {
  const { run } = installation();
  expect(await run('open', 'agent')).toMatchObject({ exit: 0, stdout: 'http://agent\n' });
  expect(await run('open', ID)).toMatchObject({ exit: 0, stdout: 'http://agent\n' });
  expect(await run('open', OTHER_ID)).toMatchObject({ exit: 0, stdout: 'http://odd\n' });
  expect(await run('open', 'agnt')).toMatchObject({ stderr: expect.stringContaining("'agent'?") });
});
