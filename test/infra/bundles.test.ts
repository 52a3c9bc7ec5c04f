import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../../lib/contract/access.ts';
import { packageFiles } from '../../lib/contract/browser/api-docs.ts';
import { errors } from '../../lib/contract/errors.ts';
import { functionRows, managingRows } from '../../lib/contract/functions.ts';
import { commonErrors } from '../../lib/contract/openapi/errors.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { getCli } from '../../lib/features/command-line/routes.ts';
import { getDocsFile, getOpenApi } from '../../lib/features/service/routes.ts';
import type { Handler, Result } from '../../lib/http/exchange.ts';
import { type Bundle, bundleFunctions } from '../../lib/infra/bundles.ts';
import { fallbackHandler, handlers } from '../../lib/infra/handlers.ts';
import { ceilingGroup, ceilingsKiB, misweighed } from '../support/aws/bundle-ceilings.ts';
import { apiEvent, type EventParts, lambdaContext } from '../support/http/event.ts';

/** The functions that read files beside their code. */
const readers: string[] = [getDocsFile.handler, getOpenApi.handler, getCli.handler];

/** Names of packages in minified code of ours; not Node's own modules, nor files beside it. */
const packageName = /\b(?:from|import)\(?"(@?[a-z][\w./-]*)"/g;

/**
 * The functions that may be the heaviest under their ceiling, told by our own code alone: no other under it
 * has as much of it and all of their packages. `own`: all functions, bundled without packages. Throws when
 * one seems to need no package.
 */
async function heaviestFunctions(own: ReadonlyMap<string, Bundle>): Promise<string[]> {
  const all = [...own].toSorted(([, one], [, other]) => other.sizeBytes - one.sizeBytes);
  const heaviest: { handler: string; group: string; packages: Set<string> }[] = [];
  for (const [handler, { folder }] of all) {
    const group = ceilingGroup(handler);
    const packages = await packagesIn(join(folder, 'index.mjs'));
    if (packages.size === 0) throw new Error(`${handler} needs no package`);
    const lighter = heaviest.some((one) => one.group === group && packages.isSubsetOf(one.packages));
    if (!lighter) heaviest.push({ handler, group, packages });
  }
  return heaviest.map(({ handler }) => handler);
}

async function packagesIn(file: string): Promise<Set<string>> {
  const text = await readFile(file, 'utf8');
  return new Set([...text.matchAll(packageName)].map(([, name = '']) => name));
}

let folder: string;
/** Every function, our own code alone. */
let own: Map<string, Bundle>;
/**
 * Those that may be the heaviest of their kind. To bundle all whole takes twenty seconds; test/aws weighs
 * them.
 */
let heaviest: string[];
/** As they are deployed: these, and what is called here. */
let whole: Map<string, Bundle>;

/**
 * Loads a bundle by Node itself, as Lambda does; an import would be the test runner's, which reads and
 * changes all of its code first.
 */
const load = createRequire(import.meta.url);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-bundles-'));
  own = await bundleFunctions(handlers(), join(folder, 'own'), { packages: 'external' });
  heaviest = await heaviestFunctions(own);
  whole = await bundleFunctions(
    [...new Set([...heaviest, ...readers, fallbackHandler])],
    join(folder, 'whole'),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the heaviest functions of every kind weigh no more than those may', () => {
  expect(new Set(heaviest.map(ceilingGroup))).toEqual(new Set(Object.keys(ceilingsKiB)));
  const weights = heaviest.map((handler) => [handler, whole.get(handler)?.sizeBytes ?? 0] as const);
  expect(misweighed(new Map(weights))).toEqual([]);
});

/**
 * What the code of a function refuses with: calls that begin with the code of a refusal, whatever their
 * function is called by now.
 */
async function refusalsIn(handler: string): Promise<string[]> {
  const text = await readFile(join(own.get(handler)?.folder ?? '', 'index.mjs'), 'utf8');
  const named = [...text.matchAll(/[\w$]\(["'`]([a-z_]+)["'`],/g)].map(([, code = '']) => code);
  return [...new Set(named)].filter((code) => code in errors).toSorted();
}

/** Told by the kind of a route: every function has the code for them, used or not. */
const common = new Set<string>(routes.flatMap(commonErrors));

/**
 * Said in a result: each of several is refused by itself, a grant that is over is asked for again, and a task
 * of a deployment that is gone is not given.
 */
const inResults: Record<string, string[]> = {
  deleteDeployments: ['deployment_not_found', 'state_forbids', 'version_mismatch'],
  authenticate: ['token_expired'],
  claimTasks: ['deployment_not_found'],
};

it.each(routes.map((row) => [row.operation, row] as const))(
  '%s declares what its code refuses',
  async (_, row) => {
    const refused = (await refusalsIn(row.handler)).filter((code) => !common.has(code));
    const declared = [...(row.errors ?? []), ...(inResults[row.operation] ?? [])];
    expect(declared.toSorted()).toEqual(refused);
  },
);

/**
 * Only what is asked for by name: single reads and queries lie in code that many share, and are told by a
 * deployed function alone.
 */
const all = [...routes, ...Object.values({ ...functionRows, ...managingRows })];
it.each(all.map((row): [string, readonly Access[]] => [row.handler, row.access]))(
  '%s may read two items at once if its code does',
  async (handler, access) => {
    const text = await readFile(join(own.get(handler)?.folder ?? '', 'index.mjs'), 'utf8');
    const [, name] = /\bBatchGetCommand as ([\w$]+)/.exec(text) ?? [];
    const asks = name !== undefined && text.includes(`new ${name}(`);
    expect({ asks }).toEqual({ asks: access.includes('table:get-both') });
  },
);

/** Calls a function as it is deployed. */
async function call(name: string, parts: EventParts): Promise<Result> {
  const { handler } = load(join(whole.get(name)?.folder ?? '', 'index.mjs')) as { handler: Handler };
  return handler(apiEvent(parts), lambdaContext());
}

it('the fallback as it is deployed knows every route, without its schemas', async () => {
  const packages = await packagesIn(join(own.get(fallbackHandler)?.folder ?? '', 'index.mjs'));
  expect(packages).not.toContain('zod');
  const answer = await call(fallbackHandler, {
    method: 'PUT',
    path: '/v2/deployments',
    routeKey: '$default',
  });
  expect(answer).toMatchObject({ statusCode: 405, headers: { allow: 'DELETE, GET, HEAD, POST' } });
});

/** Here, where others are bundled: three more in one run of the bundler take a third of a run of their own. */
describe('what lies beside code', () => {
  async function ask(name: string, parts: EventParts): Promise<string> {
    const answer = await call(name, parts);
    expect(answer.statusCode).toBe(200);
    return answer.body ?? '';
  }

  it.each(packageFiles)('the function as it is deployed finds %s beside its code', async (file) => {
    const body = await ask(getDocsFile.handler, { path: `/docs/${file}`, params: { file } });
    expect(body).toContain('swagger-ui');
    expect(body.length).toBeGreaterThan(100_000);
  });

  it('the function as it is deployed finds the description beside its code', async () => {
    const body = await ask(getOpenApi.handler, { path: '/openapi.json' });
    expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.0', info: { title: 'Slipway' } });
  });

  it('the function as it is deployed finds the command line beside its code', async () => {
    const [, name = ''] =
      /\/cli\/(slipway-\w+\.tgz)\n/.exec(await ask(getCli.handler, { path: '/cli' })) ?? [];
    const body = await ask(getCli.handler, { path: `/cli/${name}`, params: { file: name } });
    expect(gunzipSync(Buffer.from(body, 'base64')).toString('latin1')).toContain('#!/usr/bin/env node');
  });
});
