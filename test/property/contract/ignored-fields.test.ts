import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import {
  IGNORED_COUNT_MAX,
  IGNORED_PATH_LENGTH_MAX,
  ignoredFields,
} from '../../../lib/contract/validation/ignored-fields.ts';
import * as deployments from '../../../lib/features/deployments/routes.ts';
import { createRevision } from '../../../lib/features/revisions/routes.ts';
import { growth, SUPER_LINEAR } from '../../support/growth.ts';

const VALUE = 'canary-value';
const HEADER_SIZE_BYTES_MAX = 2048;

const withBody = routes.filter(({ body, page }) => body !== undefined && page === undefined);

const ignoredBy = (row: Pick<RouteRow, 'body' | 'response' | 'echoes'>, value: unknown): string[] =>
  ignoredFields(
    row.body ?? z.object({}),
    [row.response, row.echoes].filter((view) => view !== null && view !== undefined),
    value,
  );

describe('the fields of a body that nothing reads', () => {
  it('are named by their paths, and those that are read are not', () => {
    const body = {
      name: 'a',
      env: { KEY: VALUE },
      source_config: {
        repo_url: 'https://example.com/a.git',
        branch: VALUE,
        resource_spec: {
          cpu: 1,
          cpus: VALUE,
          labels: { anything: VALUE },
          volumes: [{ name: 'v', emptyDir: {} }],
        },
        listener_config: { k8s_namespace: 'a', namespace: VALUE },
      },
      source_revision_config: { repo_ref: 'main' },
      secrets: [
        { name: 'A', value: VALUE },
        { name: 'B', value: VALUE, 'fr om': VALUE },
      ],
      tracked_packages: { anything: { at: 'all' } },
      unset: null,
    };
    expect(ignoredBy(deployments.createDeployment, body)).toEqual([
      'env',
      'source_config.branch',
      'source_config.resource_spec.cpus',
      'source_config.listener_config.namespace',
      'secrets.1.fr%20om',
    ]);
    expect(ignoredBy(deployments.createDeployment, { clear_secrets: true })).toEqual(['clear_secrets']);
    expect(ignoredBy(deployments.patchDeployment, { clear_secrets: true })).toEqual([]);
    expect(ignoredBy(deployments.patchDeployment, JSON.parse('{"__proto__": 1, "constructor": 2}'))).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  it('are none of those that a client got and sends back', () => {
    const [listed] = deployments.listDeployments.response.parse(
      exampleOf('listDeployments').response,
    ).resources;
    const got = deployments.getDeployment.response.parse(exampleOf('getDeployment').response);
    for (const row of [deployments.createDeployment, deployments.patchDeployment, createRevision])
      for (const body of [listed, got]) expect(ignoredBy(row, body)).toEqual([]);
    expect(listed).toHaveProperty('latest_revision');
  });

  it.each(withBody.map((row) => [row.operation, row] as const))('are none in the example of %s', (_, row) => {
    const { body } = exampleOf(row.operation);
    expect(ignoredBy(row, body)).toEqual([]);
    if (typeof body !== 'object' || body === null) return;
    const opened = ignoredBy(row, { ...body, unheard_of: VALUE });
    expect(opened.length).toBeLessThanOrEqual(1);
  });

  it('are few, short and of printable ASCII, and no value is among them', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ minLength: 200, maxLength: 400, unit: 'grapheme' }),
      fc.constantFrom('source_config', 'resource_spec', 'secrets', 'a, b', 'a.b', '\ud800', '\r\nX: y'),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(VALUE, null, 1),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value'), { maxKeys: 30 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(...withBody), (body, row) => {
        const paths = ignoredBy(row, body);
        const header = paths.join(', ');
        expect(paths.length).toBeLessThanOrEqual(IGNORED_COUNT_MAX);
        for (const path of paths) expect(path.length).toBeLessThanOrEqual(IGNORED_PATH_LENGTH_MAX);
        expect(header.length).toBeLessThanOrEqual(HEADER_SIZE_BYTES_MAX);
        expect(header).toMatch(/^[!-~ ]*$/);
        expect(header).not.toContain(VALUE);
        for (const path of paths) expect(() => decodeURIComponent(path)).not.toThrow(TypeError);
      }),
    );
  });

  it('are found in a time that grows as the body does', () => {
    const wide = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, index) => [`field-${index}`, index]));
    const bodies: ((length: number) => object)[] = [
      (length) => wide(length),
      (length) => ({ secrets: Array.from({ length }, () => ({ name: 'A', value: VALUE })) }),
      (length) => ({ ['x'.repeat(length * 20)]: 1 }),
    ];
    for (const bodyOf of bodies)
      expect(
        growth(2_000, (length) => {
          const body = bodyOf(length);
          return () => ignoredBy(deployments.patchDeployment, body);
        }),
      ).toBeLessThan(SUPER_LINEAR);
  });
});
