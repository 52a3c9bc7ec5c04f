import type { Result } from './exchange.ts';

/** Ends the chain with an answer that was given before. */
export class Replayed extends Error {
  readonly answer: Result;

  constructor(answer: Result) {
    super('the request was answered before');
    this.name = 'Replayed';
    this.answer = answer;
  }
}
