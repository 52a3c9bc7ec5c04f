/** The longest beginning of a number: of a whole one when it ends with a digit. */
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const ESCAPE_BEGINNING = /\\(?:u[\da-fA-F]{0,3})?/y;
const WORDS = ['true', 'false', 'null'];

type Token = { end: number; isWhole: boolean };
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or the end';
type Reading = { closers: string[]; expected: Expected };

/**
 * The offset of the first character that makes `text` no JSON, or that opens more than `depthMax` objects and
 * arrays at once; the text's length when it only ends too early. The engine's own message gives the place
 * only sometimes, and otherwise quotes the text, which may hold secrets. Reads the text once, however large
 * it is: anybody may send one.
 */
export function jsonErrorOffset(text: string, depthMax = Number.POSITIVE_INFINITY): number {
  const reading: Reading = { closers: [], expected: 'value' };
  let at = endOfSpace(text, 0);
  while (at < text.length) {
    if (!takes(reading, text.charAt(at), depthMax)) return at;
    const token = tokenAt(text, at);
    if (!token.isWhole) return token.end;
    at = endOfSpace(text, token.end);
  }
  return text.length;
}

/** Goes on behind a token that begins with `first`; false: none such may stand here. */
function takes(reading: Reading, first: string, depthMax: number): boolean {
  const { closers, expected } = reading;
  const closer = closers.at(-1);
  if (first === closer && expected !== 'value' && expected !== 'key' && expected !== ':') {
    closers.pop();
    reading.expected = ', or the end';
    return true;
  }
  switch (expected) {
    case ':':
      reading.expected = 'value';
      return first === ':';
    case ', or the end':
      reading.expected = closer === '}' ? 'key' : 'value';
      return first === ',' && closer !== undefined;
    case 'key':
    case 'key or }':
      reading.expected = ':';
      return first === '"';
    default:
      return takesValue(reading, first, depthMax);
  }
}

function takesValue(reading: Reading, first: string, depthMax: number): boolean {
  if (first === '[' || first === '{') {
    reading.expected = first === '[' ? 'value or ]' : 'key or }';
    return reading.closers.push(first === '[' ? ']' : '}') <= depthMax;
  }
  reading.expected = ', or the end';
  return !']}:,'.includes(first);
}

/** What stands at `at`: as much of it as is right. */
function tokenAt(text: string, at: number): Token {
  const first = text.charAt(at);
  if ('[]{}:,'.includes(first)) return { end: at + 1, isWhole: true };
  if (first === '"') return stringAt(text, at);
  if (first === '-' || isDigit(first)) {
    const end = endOf(NUMBER, text, at);
    return { end, isWhole: isDigit(text.charAt(end - 1)) };
  }
  const word = WORDS.find((one) => one.startsWith(first)) ?? '';
  let length = 0;
  while (length < word.length && text[at + length] === word[length]) length += 1;
  return { end: at + length, isWhole: length > 0 && length === word.length };
}

function stringAt(text: string, at: number): Token {
  let end = at + 1;
  for (;;) {
    while (isPlain(text.charAt(end))) end += 1;
    if (text[end] === '"') return { end: end + 1, isWhole: true };
    const behind = endOf(ESCAPE, text, end);
    if (behind === end) return { end: endOf(ESCAPE_BEGINNING, text, end), isWhole: false };
    end = behind;
  }
}

const isDigit = (character: string): boolean => character >= '0' && character <= '9';
const isPlain = (character: string): boolean => character >= ' ' && character !== '"' && character !== '\\';

function endOfSpace(text: string, at: number): number {
  let end = at;
  while (end < text.length && ' \t\n\r'.includes(text.charAt(end))) end += 1;
  return end;
}

/**
 * Whether more than `depthMax` objects and arrays may be open at once: no parser is to be asked then, for
 * that takes it long.
 */
export function isNestedDeeper(text: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      do at = text.indexOf('"', at + 1);
      while (at !== -1 && isEscaped(text, at));
      if (at === -1) return false;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** `line 2 column 5`, counted from 1. */
export function jsonErrorPlace(text: string, offset = jsonErrorOffset(text)): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line} column ${before.length - before.lastIndexOf('\n')}`;
}
