import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';
import { parseTime } from '../../../lib/contract/validation/time.ts';
import { checkBodyResourceSpec } from '../../../lib/domain/resource-spec.ts';
import { changeDeploymentBody, createDeploymentBody } from '../../../lib/features/deployments/shape.ts';
import { createListenerBody } from '../../../lib/features/listeners/shape.ts';
import { logQueryBody } from '../../../lib/features/logs/shape.ts';

const schemas = { createDeploymentBody, changeDeploymentBody, createListenerBody, logQueryBody };

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'main', 'https://example.com/r', 'agent', '**********'),
);
const json = fc.oneof(fc.jsonValue(), text, fc.integer(), fc.constant(null));

/** An object with fields that mean something, each with a value that may not. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const orJson = (likely: fc.Arbitrary<unknown>) => fc.oneof({ weight: 3, arbitrary: likely }, json);

const resourceSpec = record({
  cpu: orJson(fc.double()),
  memory_mb: orJson(fc.integer()),
  min_scale: orJson(fc.integer()),
  max_scale: orJson(fc.integer()),
  labels: orJson(fc.dictionary(fc.string(), fc.jsonValue())),
  sidecars: orJson(fc.array(record({ name: orJson(text), image: orJson(text), env: json }))),
});
const body = record({
  name: orJson(text),
  source: orJson(fc.constantFrom('github', 'external_docker')),
  source_config: orJson(
    record({ repo_url: orJson(text), resource_spec: orJson(resourceSpec), listener_id: orJson(fc.uuid()) }),
  ),
  source_revision_config: orJson(
    record({ repo_ref: orJson(text), image_uri: orJson(text), graph_config_path: text }),
  ),
  secrets: orJson(fc.array(orJson(record({ name: orJson(text), value: orJson(text) })))),
  agent: json,
  tracked_packages: json,
  compute_type: orJson(fc.constantFrom('k8s', 'process')),
  compute_id: orJson(text),
  compute_config: orJson(record({ k8s_namespaces: orJson(fc.array(text)) })),
  order: orJson(fc.constantFrom('asc', 'desc')),
  start_time: orJson(text),
});

describe.each(Object.entries(schemas))('%s', (_, schema) => {
  it('parses or refuses any JSON, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        const { items } = parsePart('body', schema, value);
        if (items === undefined) return;
        expect(items.length).toBeGreaterThan(0);
        for (const item of items) {
          expect(item.loc[0]).toBe('body');
          expect(item.msg).not.toBe('');
          expect(item.type).toMatch(/^[a-z_]+$/);
        }
        expect(() => JSON.stringify(items)).not.toThrow();
      }),
    );
  });
});

describe('any body', () => {
  it('has a resource_spec that can be judged', () => {
    fc.assert(fc.property(body, (value) => Array.isArray(checkBodyResourceSpec(value))));
  });

  it('never has a secret’s value in what is said of it', () => {
    const canary = 'canary-2c9e';
    const value = fc.constantFrom<unknown>(canary, `${canary}\0`, [canary], { canary });
    const secrets = fc.oneof(value, fc.array(record({ name: json, value }), { minLength: 1 }));
    fc.assert(
      fc.property(body, secrets, (others, given) => {
        const { items = [] } = parsePart('body', createDeploymentBody, { ...others, secrets: given });
        expect(JSON.stringify(items)).not.toContain(canary);
      }),
    );
  });
});

describe('times', () => {
  it('that toISOString writes are read back', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(parseTime(date.toISOString())).toBeCloseTo(date.getTime(), 3);
      }),
    );
  });

  it('never fail on any text', () => {
    fc.assert(fc.property(fc.string(), (any) => Number.isFinite(parseTime(any) ?? 0)));
  });
});
