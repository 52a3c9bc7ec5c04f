import { setTimeout } from 'node:timers/promises';
import type { FunctionRow } from '../../contract/functions.ts';

/**
 * A function that ends when its time is over, as on Lambda: a call that hangs ends with an error and keeps
 * nothing waiting. Here it cannot be killed, so what it does may go on behind it.
 */
export const timeLimited =
  <I, O>(
    { name, timeoutSeconds }: Pick<FunctionRow, 'name' | 'timeoutSeconds'>,
    call: (input: I) => Promise<O>,
  ): ((input: I) => Promise<O>) =>
  (input) => {
    const late = setTimeout(timeoutSeconds * 1000, undefined, { ref: false }).then(() => {
      throw new Error(`${name} took longer than ${timeoutSeconds} s`);
    });
    return Promise.race([call(input), late]);
  };
