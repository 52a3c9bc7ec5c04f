import { stripVTControlCharacters } from 'node:util';

// Select Graphic Rendition: colours and weights, the one kind of sequence that belongs to a line.
const COLOURS = /(\u001b\[[\d;:]*m)/;

/** A line as a tool printed it, without what moves a terminal's cursor or sets its title; its colours stay. */
export const withColoursAlone = (line: string): string =>
  line
    .split(COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : stripVTControlCharacters(part)))
    .join('');
