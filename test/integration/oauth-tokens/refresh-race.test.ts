import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OAuthError } from '../../../lib/adapters/oauth.ts';
import { findOwnToken } from '../../../lib/core/items/oauth-tokens.ts';
import { freshAccessToken } from '../../../lib/core/oauth/fresh.ts';
import { keepToken } from '../../../lib/core/oauth/keep.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { aStoredProvider } from '../../support/oauth/grants.ts';
import { anOAuthProvider } from '../../support/oauth/provider.ts';
import { scriptedOAuth } from '../../support/oauth/scripted.ts';
import { aWorld } from '../../support/world/world.ts';

const LIFETIME_SECONDS = 600;

/** One round: the token is over, so many ask at once, and the provider fails so often before it answers. */
const rounds = fc.array(
  fc.record({
    asking: fc.integer({ min: 1, max: 8 }),
    failures: fc.integer({ min: 0, max: 2 }),
    delayMs: fc.integer({ min: 0, max: 15 }),
  }),
  { minLength: 1, maxLength: 3 },
);

it('a refresh token is never on its way twice, and never sent again once it was used, whoever asks and whatever fails', async () => {
  const world = await aWorld();
  const provider = await aStoredProvider(world, await anOAuthProvider());
  const owner = { tenantId: world.caller.tenantId, ownerId: world.caller.userId, userId: '', agentId: '' };
  let number = 0;
  await fc.assert(
    fc.asyncProperty(rounds, async (given) => {
      let valid = `refresh-${number}`;
      let underWay = 0;
      const wrong: string[] = [];
      const answer = () => ({
        accessToken: `access-${number}`,
        refreshToken: valid,
        expiresInSeconds: LIFETIME_SECONDS,
      });
      const { token, writes } = await keepToken(world.deps, owner, provider, answer(), { scopes: [] });
      await transact(world.deps.table, writes);
      for (const { asking, failures, delayMs } of given) {
        let failing = failures;
        const refresh = async (_: unknown, sent: string) => {
          underWay += 1;
          if (underWay > 1) wrong.push('two at once');
          if (sent !== valid) wrong.push(`${sent} instead of ${valid}`);
          await delay(delayMs);
          underWay -= 1;
          failing -= 1;
          if (failing >= 0) throw new OAuthError('transient', 'busy');
          number += 1;
          valid = `refresh-${number}`;
          return answer();
        };
        const deps = { ...world.deps, oauth: { ...scriptedOAuth, refresh } };
        world.advance(LIFETIME_SECONDS + 1);
        for (let tries = 0; tries <= failures; tries += 1) {
          const seen = (await findOwnToken(deps.table, owner, token.id)) ?? token;
          const asked = Array.from({ length: asking }, () => freshAccessToken(deps, seen, provider));
          const done = await Promise.allSettled(asked);
          const got = new Set(
            done.flatMap((each) => (each.status === 'fulfilled' ? [each.value.accessToken] : [])),
          );
          expect([...got]).toEqual(tries === failures ? [`access-${number}`] : []);
          world.advance(3);
        }
      }
      expect(wrong).toEqual([]);
    }),
    { numRuns: 4 },
  );
});
