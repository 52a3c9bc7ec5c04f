import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errors } from '../../lib/contract/errors.ts';
import { commonErrors } from '../../lib/contract/openapi/errors.ts';
import { routes } from '../../lib/contract/routes.ts';
import { handlers } from '../../lib/infra/app.ts';
import { type Bundle, bundleFunctions } from '../../lib/infra/bundles.ts';
import { accessOf, clientsOf } from '../bench/clients.ts';

/**
 * What a function's code may weigh at most, in KiB, minified, by the AWS clients in it. The first two are promises; the others are what they
 * weighed when they were written down and 3 %, so that growth is noticed: raise one only for something that is worth 16 ms of init per 100 KiB.
 */
const ceilingsKiB: Record<string, number> = {
  none: 150,
  DynamoDB: 340,
  'DynamoDB, KMS': 390,
  'DynamoDB, ECR': 355,
  'DynamoDB, ECR, STS': 400,
  'DynamoDB, S3': 520,
  'DynamoDB, KMS, S3': 575,
  'CodeBuild, DynamoDB, ECR, S3': 580,
  'CodeBuild, DynamoDB, ECR, S3, Step Functions': 640,
  'CodeBuild, DynamoDB, ECR, KMS, S3, STS': 640,
};
/** It speaks git's own protocol, in JavaScript. */
const ownCeilingsKiB: Record<string, number> = { 'functions/tasks/revision/prepare.ts': 785 };

let folder: string;
let bundles: Map<string, Bundle>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-bundles-'));
  bundles = await bundleFunctions(handlers(), folder);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(handlers())('%s', (handler) => {
  const kind = clientsOf(accessOf(handler));

  it(`weighs no more than a function with ${kind} may`, () => {
    const ceiling = ownCeilingsKiB[handler] ?? ceilingsKiB[kind];
    const weight = (bundles.get(handler)?.sizeBytes ?? 0) / 1024;
    expect(weight).toBeGreaterThan(10);
    expect(ceiling, `no ceiling for ${kind}`).toBeDefined();
    expect(weight).toBeLessThanOrEqual(ceiling ?? 0);
  });
});

/** What verifies bearer tokens is loaded when the first one comes. */
const OIDC_KIB_MAX = 60;

it('leaves out of each function what verifies bearer tokens, and puts it beside those that ask who is there', async () => {
  const guarded = new Set(
    routes.filter(({ permission }) => permission !== 'public').map((row) => row.handler),
  );
  for (const [handler, { folder: own }] of bundles) {
    const file = join(own, 'oidc.mjs');
    const isThere = await stat(file).then(
      () => true,
      () => false,
    );
    expect([handler, isThere]).toEqual([handler, guarded.has(handler as (typeof routes)[number]['handler'])]);
    if (!isThere) continue;
    expect((await stat(file)).size / 1024).toBeLessThanOrEqual(OIDC_KIB_MAX);
    expect(await readFile(join(own, 'index.mjs'), 'utf8')).toContain('import("./oidc.mjs")');
  }
  const [handler] = guarded;
  const loaded: unknown = await import(join(bundles.get(handler ?? '')?.folder ?? '', 'oidc.mjs'));
  expect(loaded).toMatchObject({ openOidc: expect.any(Function) });
});

it('has no ceiling for what no function is', () => {
  const kinds = new Set(handlers().map((handler) => clientsOf(accessOf(handler))));
  expect(Object.keys(ceilingsKiB).filter((kind) => !kinds.has(kind))).toEqual([]);
  expect(Object.keys(ownCeilingsKiB).filter((handler) => !handlers().includes(handler))).toEqual([]);
});

/** What the code of a function refuses with: calls that begin with the code of a refusal, whatever their function is called by now. */
async function refusalsIn(handler: string): Promise<string[]> {
  const text = await readFile(join(bundles.get(handler)?.folder ?? '', 'index.mjs'), 'utf8');
  const named = [...text.matchAll(/[\w$]\(["'`]([a-z_]+)["'`],/g)].map(([, code = '']) => code);
  return [...new Set(named)].filter((code) => code in errors).toSorted();
}

/** Told by the kind of a route: every function has the code for them, used or not. */
const common = new Set<string>(routes.flatMap(commonErrors));

/** Said in a result: each of several is refused by itself, and a grant that is over is asked for again. */
const inResults: Record<string, string[]> = {
  deleteDeployments: ['deployment_not_found', 'state_forbids', 'version_mismatch'],
  authenticate: ['token_expired'],
};

it.each(routes.map((row) => [row.operation, row] as const))(
  '%s declares what its code refuses',
  async (_, row) => {
    const own = (await refusalsIn(row.handler)).filter((code) => !common.has(code));
    const declared = [...(row.errors ?? []), ...(inResults[row.operation] ?? [])];
    expect(declared.toSorted()).toEqual(own);
  },
);
