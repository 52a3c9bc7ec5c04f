import { expect, it } from 'vitest';
import { hasByteOrderMark, textOfFile } from '../../../lib/contract/file-text.ts';

const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

it.each([
  ['no byte order mark', Buffer.from('wéb'), false],
  ['the mark of UTF-8', Buffer.from('\ufeffwéb'), true],
  ['that of UTF-16 as Windows writes it', Buffer.from('\ufeffwéb', 'utf16le'), true],
  ['that of the other UTF-16', big('\ufeffwéb'), true],
])('a file with %s is read', (_, bytes, isMarked) => {
  expect([textOfFile(bytes), hasByteOrderMark(bytes)]).toEqual(['wéb', isMarked]);
});

it('a file may be empty, or shorter than a mark', () => {
  expect([textOfFile(Buffer.alloc(0)), textOfFile(Buffer.from('a'))]).toEqual(['', 'a']);
});
