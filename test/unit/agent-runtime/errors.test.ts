import { expect, test } from 'vitest';
import { httpErrorOf } from '../../../lib/agent-runtime/http/errors.ts';

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
