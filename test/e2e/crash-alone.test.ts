import { describe } from 'vitest';
import { testKill } from './crash-scene.ts';

describe("kill -9 of the program's own process alone, while its children live on", () => {
  testKill('killAlone');
});
