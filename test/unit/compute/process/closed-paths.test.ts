import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClosedPath } from '../../../../lib/compute/process/proxy/closed-paths.ts';

const CLOSED = ['/internal/truncate', '/internal/debug/thread/1', '/deploy', '/deploy/1/stream'];

/** A character as it is, in the other case, or encoded once or twice. */
const spelled = (character: string): fc.Arbitrary<string> => {
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  const forms = [character, character.toUpperCase(), `%${hex}`, `%${hex.toUpperCase()}`, `%25${hex}`];
  return fc.constantFrom(
    ...(character === '/' ? [...forms, '//', '/./', '\\', '/x/../', '/%2e/', '/x/%2E%2e/'] : forms),
  );
};

const spellings = fc
  .constantFrom(...CLOSED)
  .chain((path) => fc.tuple(...Array.from(path, spelled)).map((parts) => parts.join('')));

describe('a path of a development server', () => {
  it('is closed in every spelling, with any query or end', () => {
    const end = fc.constantFrom('', '/', '?a=b', '?/ok', '%0A', '%00', '%20', ';a=b', '/.', '#x');
    fc.assert(fc.property(spellings, end, (path, rest) => isClosedPath(`${path}${rest}`)));
  });

  it('is closed behind the prefix of the project too', () => {
    const prefix = fc.constantFrom('/api', '/api/', '/a/b');
    fc.assert(fc.property(spellings, prefix, (path, before) => isClosedPath(`${before}${path}`, before)));
  });

  it.each([
    '/',
    '/ok',
    '/threads/internal',
    '/assistants/deploy',
    '/deployments',
    '/internals/truncate',
    '/?x=/deploy',
    '/%',
  ])('is not %s', (path) => expect(isClosedPath(path, '/api')).toBe(false));
});
