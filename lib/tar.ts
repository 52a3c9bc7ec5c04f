/** A file of a folder: `path` is relative to it, with `/` between its parts. */
export type TarFile = { path: string; bytes: Uint8Array; isExecutable?: boolean };

const BLOCK = 512;
const NAME_BYTES = 100;
const encoder = new TextEncoder();

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits - 1, '0')}\0`;

/** A header of the format `ustar`, with the checksum over itself. */
function header(name: Uint8Array, size: number, mode: number, type: '0' | 'x'): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => block.set(encoder.encode(text), at);
  block.set(name.subarray(0, NAME_BYTES), 0);
  put(octal(mode, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(0, 12), 136);
  put(' '.repeat(8), 148);
  put(type, 156);
  put('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const padding = (size: number): Uint8Array => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

/** `length key=value\n`, where the length counts its own digits too. */
function record(key: string, value: string): Uint8Array {
  const rest = encoder.encode(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return encoder.encode(`${length} ${key}=${value}\n`);
}

/** Names that are long or not ASCII come in a record before the file (POSIX pax). */
function longName(path: string): Uint8Array[] {
  const content = record('path', path);
  return [header(encoder.encode('pax'), content.length, 0o644, 'x'), content, padding(content.length)];
}

const isPlain = (path: string): boolean => /^[\x20-\x7e]*$/.test(path) && path.length <= NAME_BYTES;

/** A tar file of these files, in pieces: regular files alone, as upload endpoints of this kind want them. */
export function tarOf(files: readonly TarFile[]): Uint8Array[] {
  return [
    ...files.flatMap(({ path, bytes, isExecutable }) => [
      ...(isPlain(path) ? [] : longName(path)),
      header(encoder.encode(isPlain(path) ? path : 'long'), bytes.length, isExecutable ? 0o755 : 0o644, '0'),
      bytes,
      padding(bytes.length),
    ]),
    new Uint8Array(2 * BLOCK),
  ];
}

const left = new Set([
  'node_modules',
  '.git',
  '.venv',
  'venv',
  '__pycache__',
  '.langgraph_api',
  '.DS_Store',
  '.slipway',
]);

/** Where people keep secrets; what stands there as an example has none. */
const isSecret = (name: string): boolean =>
  name === '.env' || (name.startsWith('.env.') && !/\.(?:example|sample|template|dist)$/.test(name));

/** What is installed or kept by tools is no part of a project's source, and secrets are none either. */
export const isWanted = (path: string): boolean =>
  !path.split('/').some((part) => left.has(part) || isSecret(part));

/** Scripts have to stay executable, and browsers do not tell: a file that begins with `#!` is one. */
export const looksExecutable = (bytes: Uint8Array): boolean => bytes[0] === 0x23 && bytes[1] === 0x21;
