import { afterAll, beforeAll, describe, expect } from 'vitest';
import { endProgram } from '../support/program.ts';
import { bannerTests } from './banner-tests.ts';
import { canaryTests } from './canary-tests.ts';
import { httpTests } from './http-tests.ts';
import { mainFlowTests } from './main-flow-tests.ts';
import { SharedProgram } from './shared-program.ts';
import { switchTests } from './switch-tests.ts';

const shared = new SharedProgram({ SLIPWAY_LOG_LEVEL: 'debug', SLIPWAY_DRAIN_SECONDS: '10' });
beforeAll(async () => {
  await shared.start();
}, 120_000);
afterAll(async () => {
  expect(await endProgram(shared.program)).toEqual([]);
}, 120_000);

describe('a program that prints all it can', () => {
  const program = () => shared.program;
  // The first looks for errors in all that was printed until then, the last for secrets.
  httpTests(program);
  bannerTests(program);
  mainFlowTests(program);
  switchTests(program);
  canaryTests(program);
});
