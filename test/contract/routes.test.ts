import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { permissions } from '../../lib/contract/roles.ts';
import { routes } from '../../lib/contract/routes/index.ts';

const root = new URL('../../', import.meta.url);
const placeholders = (path: string) => [...path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name]) => name);

describe('the route table', () => {
  it('names each operation and each method and path once', () => {
    const operations = routes.map(({ operation }) => operation);
    const places = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`);
    expect(new Set(operations).size).toBe(routes.length);
    expect(new Set(places).size).toBe(routes.length);
  });

  it('opens nothing without a key but the health check, the description, the console, the command line, signing in, pages of consent, and what git hosts sign', () => {
    const begin = '/v2/auth/begin/{nonce}';
    const back = ['/v2/auth/callback/{provider_id}', '/host-oauth-callback/{provider_id}'];
    const pages = routes.filter(({ page }) => page !== undefined).map(({ path }) => path);
    expect(pages).toEqual([begin, ...back, begin]);
    const open = routes.filter(({ permission }) => permission === 'public').map(({ path }) => path);
    const signIn = ['/v2/console-sessions', '/v2/sign-in', '/v2/token'];
    const console = ['/console', '/console/{proxy+}', '/', '/o/{tenant_id}/host/deployments/{deployment_id}'];
    const programs = ['/v2/device/code', '/v2/device/token'];
    const signed = '/v1/integrations/{type}/{integration_id}/webhook';
    expect(open.filter((path) => !pages.includes(path)).toSorted()).toEqual(
      [
        '/docs',
        '/docs/{file}',
        '/ok',
        '/openapi.json',
        '/cli',
        '/cli/{file}',
        signed,
        ...signIn,
        ...programs,
        ...console,
      ].toSorted(),
    );
  });
});

describe.each(routes.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', (_, row) => {
  it('has a file that exports create and handler', async () => {
    expect(existsSync(new URL(row.handler, root))).toBe(true);
    const entry: unknown = await import(new URL(row.handler, root).href);
    expect(entry).toMatchObject({ create: expect.any(Function), handler: expect.any(Function) });
  });

  it('declares exactly the parts of its path', () => {
    expect(new Set(Object.keys(row.params?.shape ?? {}))).toEqual(new Set(placeholders(row.path)));
  });

  it('names a permission of the role matrix', () => {
    expect([...permissions, 'public']).toContain(row.permission);
    if (row.path.startsWith('/v2/listeners/{listener_id}/')) expect(row.permission).toBe('listener:work');
    else expect(row.permission).not.toBe('listener:work');
  });

  it('takes a body only where the method has one', () => {
    expect(row.method === 'GET' && 'body' in row).toBe(false);
  });

  it('answers 204 exactly when it answers nothing, and does not lead elsewhere', () => {
    expect([204, 302, 303].includes(row.success)).toBe(row.response === null);
  });

  it('has schemas that can be written down as JSON Schema', () => {
    const inputs = [row.params, row.query, row.body].filter((schema) => schema !== undefined);
    for (const schema of inputs) {
      expect(z.toJSONSchema(schema, { io: 'input' })).toHaveProperty('type', 'object');
    }
    const answer = row.response ?? z.object({});
    expect(z.toJSONSchema(answer, { io: 'output' })).toHaveProperty('type');
  });
});

/** Lists of another shape: clients of the API that they come from read them so, or they are followed. */
const otherLists: Record<string, string> = {
  /** What needs somebody, all at once. */
  listAttention: 'resources',
  /** All at once, for a person to choose from. */
  listBranches: 'default_branch more problem resources',
  listInstalledIntegrations: 'array',
  listRepositories: 'array',
  listProviders: 'array',
  listTokens: 'array',
  listConnections: 'data',
  listEvents: 'after missed resources',
};

describe('a list', () => {
  const answers = routes.flatMap((row) => {
    if (row.response === null || row.method !== 'GET' || row.contentTypes !== undefined) return [];
    const { type, properties } = z.toJSONSchema(row.response, { io: 'output', unrepresentable: 'any' });
    return [
      {
        row,
        shape:
          type === 'array'
            ? 'array'
            : Object.keys(properties ?? {})
                .toSorted()
                .join(' '),
      },
    ];
  });
  const lists = answers.filter(
    ({ row, shape }) => row.operation.startsWith('list') || /^array$|\b(resources|data|items)\b/.test(shape),
  );

  it.each(lists.map(({ row, shape }) => [row.operation, row, shape] as const))(
    '%s answers a page and where to go on',
    (operation, row, shape) => {
      expect(shape).toBe(otherLists[operation] ?? 'offset resources');
      if (!(operation in otherLists))
        expect(Object.keys(row.query?.shape ?? {})).toEqual(expect.arrayContaining(['limit', 'offset']));
    },
  );

  it('is of another shape only where that is said here', () => {
    const operations = new Set<string>(lists.map(({ row }) => row.operation));
    expect(Object.keys(otherLists).filter((operation) => !operations.has(operation))).toEqual([]);
  });
});
