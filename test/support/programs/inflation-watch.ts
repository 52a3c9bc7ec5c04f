import { createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';

/**
 * To be imported before a program: the file in `INFLATION_WATCH` gets a line for each compression or
 * inflation that its process begins.
 */
const file = process.env.INFLATION_WATCH;
if (file !== undefined) {
  createHook({
    init: (_, type) => {
      if (type === 'ZLIB') appendFileSync(file, `${process.pid}\n`);
    },
  }).enable();
}
