import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

it('has no ceiling for what no function is', () => {
  const kinds = new Set(handlers().map((handler) => clientsOf(accessOf(handler))));
  expect(Object.keys(ceilingsKiB).filter((kind) => !kinds.has(kind))).toEqual([]);
  expect(Object.keys(ownCeilingsKiB).filter((handler) => !handlers().includes(handler))).toEqual([]);
});
