/** A part of a log line with the look that its colour codes give it. */
export type Span = { text: string; className: string };

/** Logs hold the codes of terminals as text, `\x1b[31m`: colours are shown, all others are left out. */
const SEQUENCE = /\\x1b\[([0-9;:?]*)([A-Za-z])/g;

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
type Look = { colour: string | undefined; bold: boolean; faint: boolean };
const plain: Look = { colour: undefined, bold: false, faint: false };

function after(look: Look, code: number): Look {
  if (code === 0) return plain;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, faint: true };
  if (code === 22) return { ...look, bold: false, faint: false };
  if (code === 39) return { ...look, colour: undefined };
  if (code >= 30 && code <= 37) return { ...look, colour: names[code - 30] };
  if (code >= 90 && code <= 97) return { ...look, colour: names[code - 90] };
  return look;
}

/** Colours of 256 and more come as `38;5;n` and `38;2;r;g;b`: what follows belongs to them and is no code. */
function codesIn(parameters: string): number[] {
  const given = (parameters === '' ? '0' : parameters).split(/[;:]/).map(Number);
  const codes: number[] = [];
  for (let at = 0; at < given.length; at += 1) {
    const code = given[at] ?? 0;
    if (code === 38 || code === 48) at += given[at + 1] === 2 ? 4 : 2;
    else codes.push(code);
  }
  return codes;
}

const classOf = ({ colour, bold, faint }: Look): string =>
  [colour && `ansi-${colour}`, bold && 'ansi-bold', faint && 'ansi-faint'].filter(Boolean).join(' ');

/** A log line as spans; one without codes is one span. */
export function spansOf(message: string): Span[] {
  const spans: Span[] = [];
  let look = plain;
  let from = 0;
  const add = (text: string) => {
    if (text !== '') spans.push({ text, className: classOf(look) });
  };
  for (const found of message.matchAll(SEQUENCE)) {
    add(message.slice(from, found.index));
    if (found[2] === 'm') for (const code of codesIn(found[1] ?? '')) look = after(look, code);
    from = found.index + found[0].length;
  }
  add(message.slice(from));
  return spans;
}

/** The line without any codes. */
export const plainText = (message: string): string => message.replaceAll(SEQUENCE, '');
