import { describe } from 'vitest';
import { addressTests } from './address-tests.ts';
import { badInputTests } from './bad-input-tests.ts';
import { clientsTests } from './clients-tests.ts';
import { interruptTests } from './interrupt-tests.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({ SLIPWAY_DRAIN_SECONDS: '0.2' });

describe('a program whose replaced servers are soon gone', () => {
  addressTests(program);
  badInputTests(program);
  clientsTests(program);
  interruptTests(program);
});
