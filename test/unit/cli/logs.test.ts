import { expect, it } from 'vitest';
import { slipway } from '../../support/programs/user-cli.ts';

const deployment = { id: 'd', name: 'agent', active_revision_id: '1', latest_revision_id: '1' };
const line = (number: number) => ({
  id: `${number}-0`,
  timestamp: number,
  level: 'INFO',
  message: `line ${number}`,
});
/** Pages of long lines, which end before their limit. */
const pages = [[line(1), line(2)], [line(3)], []];

it('all lines of a time are printed, though a page of long lines is short before the end', async () => {
  const fetch = async (address: unknown) => {
    const { pathname, searchParams } = new URL(String(address));
    if (pathname === '/v2/deployments') return Response.json({ resources: [deployment], offset: 1 });
    if (!pathname.endsWith('/logs')) return Response.json({ id: '1', deployment_id: 'd' });
    const at = Number(searchParams.get('offset') ?? 0);
    return Response.json({ logs: pages[at], next_offset: String(at + 1) });
  };
  const environment = { SLIPWAY_URL: 'http://api.example', SLIPWAY_API_KEY: 'key' };
  const { stdout } = await slipway({ fetch, environment }, ['logs', 'agent', '--since', '1d']);
  expect(stdout.match(/line \d/g)).toEqual(['line 1', 'line 2', 'line 3']);
});
