import { describe } from 'vitest';
import { bannerTests } from './banner-tests.ts';
import { canaryTests } from './canary-tests.ts';
import { httpTests } from './http-tests.ts';
import { mainFlowTests } from './main-flow-tests.ts';
import { readmeTests } from './readme-tests.ts';
import { programOfFile } from './shared-program.ts';
import { switchTests } from './switch-tests.ts';

const program = programOfFile({
  SLIPWAY_LOG_LEVEL: 'debug',
  // An old server is stopped when its last request has ended; no slow hour cuts one off.
  SLIPWAY_DRAIN_SECONDS: '240',
  SLIPWAY_PUBLIC_HOSTS: 'slipway.example',
});

describe('a program that prints all it can', () => {
  // The first looks for errors in all that was printed until then, the last for secrets.
  httpTests(program);
  bannerTests(program);
  readmeTests(program);
  mainFlowTests(program);
  switchTests(program);
  canaryTests(program);
});
