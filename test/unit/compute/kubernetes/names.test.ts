import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  baseName,
  postgresName,
  queueName,
  redisName,
  setName,
} from '../../../../lib/compute/kubernetes/render/names.ts';

/** What a Service needs of its name. */
const LABEL = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const LABEL_LENGTH_MAX = 63;
/** What a StatefulSet's revision label adds: `-` and ten characters. */
const REVISION_LENGTH = 11;

const deploymentName = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/);
const key = fc.stringMatching(/^[0-9a-f]{8}$/);

describe('the names of a deployment’s objects', () => {
  it('are DNS labels that begin with a letter, whatever its name and id', () => {
    fc.assert(
      fc.property(deploymentName, fc.uuid(), key, (name, id, set) => {
        const base = baseName(name, id);
        const names = [base, setName(base, set), queueName(base, set), redisName(base), postgresName(base)];
        for (const each of names) {
          expect(each).toMatch(LABEL);
          expect(each.length).toBeLessThanOrEqual(LABEL_LENGTH_MAX);
        }
        expect(base.length).toBeLessThanOrEqual(49);
        expect(postgresName(base).length + REVISION_LENGTH).toBeLessThanOrEqual(LABEL_LENGTH_MAX);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('are another deployment’s never, whatever the names, when the ends of the ids differ', () => {
    fc.assert(
      fc.property(deploymentName, deploymentName, fc.uuid(), fc.uuid(), (one, other, id, otherId) => {
        fc.pre(id.slice(-8) !== otherId.slice(-8));
        expect(baseName(one, id)).not.toBe(baseName(other, otherId));
      }),
    );
  });

  it.each([
    ['chat', 'chat-deadbeef'],
    ['my_agent', 'my-agent-deadbeef'],
    ['1st', 'd-1st-deadbeef'],
    ['a'.repeat(63), `${'a'.repeat(40)}-deadbeef`],
    [`${'a'.repeat(39)}_b`, `${'a'.repeat(39)}-deadbeef`],
  ])('of %s begin with %s', (name, base) => {
    expect(baseName(name, '0190a000-0000-7000-8000-0000DEADBEEF')).toBe(base);
  });

  it('keep a_b and a-b apart', () => {
    const [one, other] = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];
    expect([baseName('a_b', one), baseName('a-b', other)]).toEqual(['a-b-00000001', 'a-b-00000002']);
  });
});
