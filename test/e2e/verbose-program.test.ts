import { describe } from 'vitest';
import { bannerTests } from './banner-tests.ts';
import { canaryTests } from './canary-tests.ts';
import { httpTests } from './http-tests.ts';
import { mainFlowTests } from './main-flow-tests.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({
  SLIPWAY_LOG_LEVEL: 'debug',
  SLIPWAY_PUBLIC_HOSTS: 'slipway.example',
});

describe('a program that prints all it can', () => {
  // The first looks for errors in all that was printed until then, the last for secrets.
  httpTests(program);
  bannerTests(program);
  mainFlowTests(program);
  canaryTests(program);
});
