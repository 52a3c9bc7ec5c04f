import { afterAll, beforeAll, describe, expect } from 'vitest';
import { endProgram } from '../support/program.ts';
import { clientsTests } from './clients-tests.ts';
import { queueTests } from './queue-tests.ts';
import { SharedProgram } from './shared-program.ts';

const shared = new SharedProgram({ SLIPWAY_DRAIN_SECONDS: '0.2' });
beforeAll(async () => {
  await shared.start();
}, 120_000);
afterAll(async () => {
  expect(await endProgram(shared.program)).toEqual([]);
}, 120_000);

describe('a program whose replaced servers are soon gone', () => {
  const program = () => shared.program;
  clientsTests(program);
  queueTests(program);
});
