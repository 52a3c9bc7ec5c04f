import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerFor } from '../../unpack/answer.ts';
import { inImage, isInImageStep } from './in-image.ts';
import { build } from './prologue.ts';

// The builder in AWS, as one file: `build` on the machine, `unpack` in a child of that, and the steps of a
// plan inside an image build.
const [mode = '', ...args] = process.argv.slice(2);
const folder = dirname(fileURLToPath(import.meta.url));
const [first = '', second] = args;

if (mode === 'unpack') {
  process.stdout.write(`${await answerFor(first)}\n`);
} else if (mode === 'prologue') {
  process.exitCode = (await build(folder)) ? 0 : 1;
} else if (isInImageStep(mode)) {
  process.exitCode = await inImage(mode, folder, first, second);
} else {
  throw new Error(`"${mode}" is none of prologue, unpack, install, build, seal, finish`);
}
