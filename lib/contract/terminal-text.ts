import { withoutTrailing } from './trailing.ts';

/**
 * What tools print to control a terminal (ECMA-48), in this order: strings that end in BEL or ST, such as
 * titles and links; control sequences, also one that the end of the line cuts off; other escapes. No part can
 * begin inside another, so a line is read once, whatever is in it; Node's `stripVTControlCharacters` looks
 * for the end of each string in all that follows.
 */
const SEQUENCE =
  /(?:\u001b[\]PX^_]|\u009d)[^\u0007\u001b\u009c\u009d]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)|\u001b[ -/]*[0-Z\\-~]/g;
/** Select Graphic Rendition: colours and weights, the one kind of sequence that belongs to a line. */
const COLOUR = /^\u001b\[[\d;:]*m$/;

/** A line as a person reads it: without colours and whatever else a terminal would obey. */
export const withoutSequences = (line: string): string => line.replace(SEQUENCE, '');

/** A line as a tool printed it, without what moves a terminal's cursor or sets its title; its colours stay. */
export const withColoursAlone = (line: string): string =>
  line.replace(SEQUENCE, (sequence) => (COLOUR.test(sequence) ? sequence : ''));

/**
 * The lines of what a program printed. A carriage return takes a terminal back to where the line began: of
 * one that is written over and over, as progress is shown, each state is a line.
 */
export function linesOf(output: string): string[] {
  const lines = withoutTrailing(output, '\r\n').split(/\r?\n|\r+/);
  // Nothing stands before the return that a tool begins with.
  return output.startsWith('\r') && lines.length > 1 ? lines.slice(1) : lines;
}
