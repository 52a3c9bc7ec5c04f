import { describe } from 'vitest';
import { testKill } from './crash-scene.ts';

describe('kill -9 of the whole process group of the program', () => {
  testKill('killGroup');
});
