import { expect, test } from 'vitest';
import { httpErrorOf } from '../../../lib/agent-runtime/http/errors.ts';
import { oncePostgresIsThere } from '../../../lib/agent-runtime/tables/database.ts';

test.each([
  [
    '53300',
    'too many connections for role "a"',
    'Postgres cannot go on: too many connections for role "a". ',
  ],
  ['53100', 'could not extend file', 'Postgres cannot go on: could not extend file. '],
  ['57P01', 'terminating connection', 'Postgres does not answer. '],
  ['ECONNREFUSED', 'connect ECONNREFUSED', 'Postgres does not answer. '],
])('%s of Postgres is answered with 503, and what it lacks is named', (code, message, words) => {
  const answer = httpErrorOf(Object.assign(new Error(message), { code }));
  expect(answer).toMatchObject({
    status: 503,
    message: `${words}Try again.`,
    headers: { 'retry-after': '1' },
  });
});

test('a pooler that refuses how a server connects is named at once, and not asked again', async () => {
  const refused = Object.assign(new Error('unsupported startup parameter: options'), { code: '08P01' });
  const asked = oncePostgresIsThere(
    () => Promise.reject(refused),
    60_000,
    () => undefined,
  );
  await expect(asked).rejects.toThrow(
    /^DATABASE_URI: unsupported startup parameter: options\. A pooler in transaction mode is between: give /,
  );
});
