import { expect, it } from 'vitest';
import { EXCHANGES_MAX } from '../../../lib/features/token-rules/exchange.ts';
import { exchange, githubJob, jobToken, unexchanged, withCi } from '../../support/oauth/ci.ts';
import { refusedWith } from '../../support/world/requests.ts';

const MISSING = `400 No rule takes tokens of this issuer for repository_id ${githubJob.repository_id}. An administrator of the tenant makes one with POST /v2/token-rules.`;

it('one address exchanges so many tokens within ten minutes; others are not held up', async () => {
  const { world, issuer } = await withCi();
  const asked = async (address: string) => {
    const token = await jobToken(issuer, { exp: Math.floor(world.deps.clock.now() / 1000) + 3600 });
    return refusedWith(exchange(world, token, {}, {}, address));
  };
  const all = await Promise.all(Array.from({ length: EXCHANGES_MAX }, () => asked('2001:db8::1')));
  expect(new Set(all)).toEqual(new Set([MISSING]));
  expect(await asked('2001:db8::2')).toBe(
    '429 Too many tokens came from this address within ten minutes; try again later.',
  );
  expect(await refusedWith(exchange(world, 'unsigned', {}, {}, '2001:db8::2'))).toBe(
    unexchanged('it is no JWT'),
  );
  expect(await asked('2001:db9::1')).toBe(MISSING);
  world.advance(601);
  expect(await asked('2001:db8::1')).toBe(MISSING);
});
