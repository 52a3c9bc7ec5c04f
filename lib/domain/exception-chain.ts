const TRACEBACK = 'Traceback (most recent call last):';
const LED_TO = 'The above exception was the direct cause of the following exception:';
/** How Python names an exception below its traceback: `ModuleNotFoundError: No module named 'x'`. */
const EXCEPTION = /^[A-Za-z_][\w.]*(?::|$)/;

/**
 * Reads the output of a Python program line by line for a chain of exceptions. Python prints the first of
 * them first, so that what went wrong stands far above what was made of it in the end.
 */
export class ExceptionChain {
  #first: string | undefined;
  #last: string | undefined;
  #isOpen = false;
  #goesOn = false;

  add(line: string): void {
    const text = line.trim();
    if (text === LED_TO) {
      this.#goesOn = true;
    } else if (text.endsWith(TRACEBACK)) {
      if (!this.#goesOn) this.#first = undefined;
      this.#isOpen = true;
      this.#goesOn = false;
    } else if (this.#isOpen && line === line.trimStart() && EXCEPTION.test(text)) {
      this.#first ??= text;
      this.#last = text;
      this.#isOpen = false;
    }
  }

  /** The first exception of the last chain; undefined where what was raised in the end is the first. */
  get cause(): string | undefined {
    return this.#first === this.#last ? undefined : this.#first;
  }
}

/** What caused the exception that a Python program ended with, if that was another one. */
export function causeIn(output: readonly string[]): string | undefined {
  const chain = new ExceptionChain();
  for (const line of output) chain.add(line);
  return chain.cause;
}

/** Stands at the end of output that is quoted. */
export const causeLine = (cause: string): string => `The cause of it: ${cause}`;
