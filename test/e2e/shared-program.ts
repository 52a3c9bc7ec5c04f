import { afterAll, beforeAll, expect } from 'vitest';
import { endProgram, type Program, startProgram } from '../support/programs/program.ts';

/** One program for all tests of a file, which a test may start again on the same data. */
export class SharedProgram {
  #program: Program | undefined;
  readonly #environment: Record<string, string>;

  constructor(environment: Record<string, string> = {}) {
    this.#environment = environment;
  }

  get program(): Program {
    if (this.#program === undefined) throw new Error('the program was not started');
    return this.#program;
  }

  async start(dataFolder?: string): Promise<Program> {
    const where = dataFolder === undefined ? {} : { dataFolder };
    this.#program = await startProgram({ environment: this.#environment, ...where });
    return this.#program;
  }

  /** An orderly end, and a new start. */
  async restart(): Promise<Program> {
    const { dataFolder } = this.program;
    await this.program.stop();
    return this.start(dataFolder);
  }
}

/**
 * Starts one program before the tests of the file that calls this, ends it after them, and sees that it
 * leaves nothing behind.
 */
export function programOfFile(environment: Record<string, string>): () => Program {
  const shared = new SharedProgram(environment);
  beforeAll(() => shared.start());
  afterAll(async () => {
    expect(await endProgram(shared.program)).toEqual([]);
  });
  return () => shared.program;
}
