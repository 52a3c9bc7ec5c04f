import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerSpec } from '../../../lib/compute/kubernetes/render/context.ts';
import { problemsOf } from '../../../lib/compute/kubernetes/render/problems.ts';
import {
  cpuQuantity,
  memoryQuantity,
  storageQuantity,
} from '../../../lib/compute/kubernetes/render/resources.ts';
import { renderSet, setKey } from '../../../lib/compute/kubernetes/render/set.ts';
import { allObjects } from '../../support/kubernetes/all-objects.ts';
import { fieldCases } from '../../support/kubernetes/field-cases.ts';
import { renderContext, serverSpec } from '../../support/kubernetes/specs.ts';
import { anyContext, anySpec } from './server-specs.ts';

/** What Kubernetes makes of a quantity, in thousandths of a byte or of a processor. */
function thousandthsOf(quantity: string): bigint {
  const [, digits = '', suffix = ''] = /^(\d+)(m|Mi|Gi|)$/.exec(quantity) ?? [];
  const factor = { m: 1n, '': 1000n, Mi: 1000n * 2n ** 20n, Gi: 1000n * 2n ** 30n }[suffix];
  return BigInt(digits) * (factor ?? 0n);
}

describe('a quantity', () => {
  it('of CPU is what was asked for, to the thousandth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 10_000_000 }), (thousandths) => {
        expect(thousandthsOf(cpuQuantity(thousandths / 1000))).toBe(BigInt(thousandths));
      }),
    );
  });

  it('of memory is what was asked for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 128, max: 100_000_000 }), (mb) => {
        expect(thousandthsOf(memoryQuantity(mb))).toBe(BigInt(mb) * 1000n * 2n ** 20n);
      }),
    );
  });

  it('of storage is what was asked for, or less than a Mi more', () => {
    const mi = 2n ** 20n;
    fc.assert(
      fc.property(fc.integer({ min: 2 ** 10, max: 2 ** 30 }), fc.constantFrom(1, 2, 1000), (units, parts) => {
        const gi = units / 2 ** 10 / parts;
        const bytes = thousandthsOf(storageQuantity(gi)) / 1000n;
        const asked = BigInt(Math.ceil(gi * 2 ** 30));
        expect(bytes >= asked && bytes - asked < mi).toBe(true);
      }),
    );
    expect([1, 1.5, 1.1, 10].map(storageQuantity)).toEqual(['1Gi', '1536Mi', '1127Mi', '10Gi']);
  });
});

describe('whatever the control plane hands out', () => {
  it('is rendered, and judged, without an error', () => {
    fc.assert(
      fc.property(anySpec, anyContext, (spec, context) => {
        expect(allObjects(spec, context).size).toBeGreaterThanOrEqual(5);
        for (const problem of problemsOf(spec, context)) expect(problem).toMatch(/^\S.*: ./s);
      }),
    );
  });

  it('is rendered the same twice', () => {
    fc.assert(
      fc.property(anySpec, anyContext, (spec, context) => {
        expect(allObjects(structuredClone(spec), context)).toEqual(allObjects(spec, context));
      }),
    );
  });

  it('has no variable, and nothing else that is merged by its name, twice', () => {
    fc.assert(
      fc.property(anySpec, anyContext, (spec, context) => {
        const pod = renderSet(spec, context, 1).deployment.spec?.template.spec;
        const variables = pod?.containers[0]?.env?.map(({ name }) => name) ?? [];
        const pullSecrets = pod?.imagePullSecrets?.map(({ name }) => name) ?? [];
        expect(new Set(variables).size).toBe(variables.length);
        expect(new Set(pullSecrets).size).toBe(pullSecrets.length);
      }),
    );
  });

  it('has the values of its secrets in the set’s Secret alone', () => {
    const marker = 'the-value-of-a-secret';
    const inBase64 = Buffer.from(marker).toString('base64');
    fc.assert(
      fc.property(anySpec, anyContext, (spec, context) => {
        const environment = [
          ...spec.environment,
          { name: 'POSTGRES_URI_CUSTOM', value: marker },
          { name: 'PORT', value: marker },
        ];
        const objects = [...allObjects({ ...spec, environment }, context)];
        const holding = objects.filter(([, object]) => {
          const text = JSON.stringify(object);
          return text.includes(marker) || text.includes(inBase64);
        });
        expect(holding.map(([name]) => name)).toEqual(['Secret']);
        expect(problemsOf({ ...spec, environment }, context).join()).not.toContain(marker);
      }),
    );
  });
});

describe('the key of a set', () => {
  it('is the same for another revision, at another epoch, with other numbers of servers', () => {
    fc.assert(
      fc.property(anySpec, anyContext, fc.uuid(), fc.nat(), (spec, context, revision_id, epoch) => {
        const key = setKey(spec, context);
        expect(setKey({ ...spec, revision_id, epoch }, context)).toBe(key);
        expect([renderSet(spec, context, 1).key, renderSet(spec, context, 9).key]).toEqual([key, key]);
      }),
    );
  });

  it('is another when a value of a secret is', () => {
    fc.assert(
      fc.property(anySpec, anyContext, fc.string(), fc.string(), (spec, context, one, other) => {
        fc.pre(one !== other);
        const keyWith = (value: string) =>
          setKey({ ...spec, environment: [{ name: 'TOKEN', value }], secret_references: [] }, context);
        expect(keyWith(one)).not.toBe(keyWith(other));
      }),
    );
  });

  // The database, Redis and the route are a deployment's own, whichever set serves.
  const ofNoSet = /\.(redis|db)_|custom_url/;
  const keyOf = (own: Partial<ServerSpec>) => setKey(serverSpec(own), renderContext());

  it.each(fieldCases.filter(({ field }) => !ofNoSet.test(field)))(
    'is another when $field is',
    ({ without, having }) => {
      expect(keyOf(having)).not.toBe(keyOf(without));
    },
  );

  it.each(fieldCases.filter(({ field }) => ofNoSet.test(field)))(
    'is the same when $field is another',
    ({ without, having }) => {
      expect(keyOf(having)).toBe(keyOf(without));
    },
  );
});
