import { describe, expect, it } from 'vitest';
import { guessLevel } from '../../../lib/contract/log-level.ts';
import { withColoursAlone, withoutSequences } from '../../../lib/contract/terminal-text.ts';
import {
  commandProblem,
  configPathProblem,
  customUrlProblem,
  imageProblem,
  repoRefProblem,
  repoUrlProblem,
} from '../../../lib/contract/validation/text.ts';
import { levelOfOutput } from '../../../lib/domain/log-line.ts';
import { growth, SUPER_LINEAR } from '../../support/growth.ts';

/** What lines were seen, or could be thought of, to make patterns look again and again. */
const pieces = [
  ' ',
  '\t',
  '0',
  'T',
  'Z',
  '[',
  '[ ',
  ' (',
  '2026-11-21T10:00:00Z ',
  'error',
  'npm ',
  '\u001b',
  '\u001b]',
  '\u001b];',
  '\u001b]0;a',
  '\u001b]8;;a\u001b\\',
  '\u001b[',
  '\u001b[1;',
  '\u001b[31m',
  '\u009b',
  '\u009b1;',
  '\u009d',
  ';',
  '#',
];

describe('work on a line grows as its length', () => {
  it.each(pieces)('whose level is guessed (%j)', (piece) => {
    expect(growth(2_000, (length) => lineWork(guessLevel, piece, length))).toBeLessThan(SUPER_LINEAR);
  });

  it.each(pieces)('of a build, whose level is guessed (%j)', (piece) => {
    expect(growth(2_000, (length) => lineWork(levelOfOutput, piece, length))).toBeLessThan(SUPER_LINEAR);
  });

  it.each(pieces)('that loses what moves a cursor (%j)', (piece) => {
    expect(growth(2_000, (length) => lineWork(withColoursAlone, piece, length))).toBeLessThan(SUPER_LINEAR);
  });

  it.each(pieces)('that loses all that a terminal would obey (%j)', (piece) => {
    expect(growth(2_000, (length) => lineWork(withoutSequences, piece, length))).toBeLessThan(SUPER_LINEAR);
  });
});

const names = [
  'a',
  '-',
  'a-',
  'a.',
  'a/',
  '/',
  '__',
  ':',
  '@',
  'a:1/',
  '.',
  '..',
  '~',
  'A0',
  '[1',
  'http://',
];
const rules = {
  repoUrlProblem,
  repoRefProblem,
  configPathProblem,
  imageProblem,
  commandProblem,
  customUrlProblem,
};

describe('work on a name or a path grows as its length', () => {
  it.each(
    Object.entries(rules).flatMap(([name, rule]) => names.map((piece) => [name, piece, rule] as const)),
  )('in %s (%j)', (_, piece, rule) => {
    expect(growth(1_000, (length) => lineWork(rule, piece, length))).toBeLessThan(SUPER_LINEAR);
  });
});

/** The text ends in what no pattern takes, so that each has to look for another way. */
function lineWork(work: (line: string) => unknown, piece: string, length: number): () => unknown {
  const line = `${piece.repeat(Math.ceil(length / piece.length))}\u0001!`;
  return () => work(line);
}
