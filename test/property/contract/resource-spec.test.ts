import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';
import { checkResourceSpec, resolveResourceSpec } from '../../../lib/domain/resource-spec.ts';
import { goodSpec, groups } from './resource-specs.ts';

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
