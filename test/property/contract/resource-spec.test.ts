import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ResourceSpec, resourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';
import { checkResourceSpec, resolveResourceSpec } from '../../../lib/domain/resource-spec.ts';

const cpu = fc.integer({ min: 100, max: 64_000 }).map((thousandths) => thousandths / 1000);
const memory = fc.integer({ min: 1, max: 4096 }).map((steps) => steps * 128);
const scale = fc.integer({ min: 0, max: 50 });

const groups = ['', 'queue_', 'redis_', 'core_', 'db_'];
const numbers = Object.fromEntries([
  ...groups.flatMap((group) => [
    [`${group}cpu`, cpu],
    [`${group}cpu_limit`, cpu],
    [`${group}memory_mb`, memory],
    [`${group}memory_limit_mb`, memory],
  ]),
  ...['min_scale', 'max_scale', 'queue_min_scale', 'queue_max_scale'].map((field) => [field, scale] as const),
]);

/** Specs that pass: any numbers, less those that contradict another. */
const goodSpec = fc.record(numbers, { requiredKeys: [] }).map((spec): ResourceSpec => {
  const refused = new Set(checkResourceSpec(spec).map(({ loc }) => loc.at(-1)));
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !refused.has(field)));
});

describe('a resource_spec without problems', () => {
  it('has the shape of the schema', () => {
    fc.assert(
      fc.property(goodSpec, (spec) => {
        expect(resourceSpec.parse(spec)).toEqual(spec);
      }),
    );
  });

  it('has none either when filled in', () => {
    fc.assert(
      fc.property(goodSpec, (spec) => {
        expect(checkResourceSpec(resolveResourceSpec(spec))).toEqual([]);
      }),
    );
  });

  it('is filled in once and for all', () => {
    fc.assert(
      fc.property(goodSpec, (spec) => {
        const resolved = resolveResourceSpec(spec);
        expect(resolveResourceSpec(resolved)).toEqual(resolved);
      }),
    );
  });

  it('keeps what it says, exactly', () => {
    fc.assert(
      fc.property(goodSpec, (spec) => {
        const resolved = new Map(Object.entries(resolveResourceSpec(spec)));
        for (const [field, value] of Object.entries(spec)) {
          expect([field, resolved.get(field)]).toEqual([field, value]);
        }
      }),
    );
  });

  it('has both of a pair or none', () => {
    fc.assert(
      fc.property(goodSpec, (spec) => {
        const resolved = new Map(Object.entries(resolveResourceSpec(spec)));
        for (const group of groups) {
          expect(resolved.has(`${group}cpu`)).toBe(resolved.has(`${group}cpu_limit`));
          expect(resolved.has(`${group}memory_mb`)).toBe(resolved.has(`${group}memory_limit_mb`));
        }
      }),
    );
  });
});
