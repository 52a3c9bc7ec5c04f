import { describe } from 'vitest';
import { clientsTests } from './clients-tests.ts';
import { queueTests } from './queue-tests.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({ SLIPWAY_DRAIN_SECONDS: '0.2' });

describe('a program whose replaced servers are soon gone', () => {
  clientsTests(program);
  queueTests(program);
});
