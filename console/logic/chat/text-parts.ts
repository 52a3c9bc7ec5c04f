/** A text of an agent in parts: words as they are, and addresses that may be opened. */
export type TextPart = { text: string; isAddress: boolean };

/** Addresses of the web alone, without the punctuation that ends a sentence. */
const ADDRESS = /https?:\/\/[^\s<>"'`)\]}]{1,2000}/g;
const ENDS = '.,;:!?';

function withoutEnd(address: string): string {
  let end = address.length;
  while (end > 0 && ENDS.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutEnd(found);
    if (URL.parse(address) === null) continue;
    if (index > at) parts.push({ text: text.slice(at, index), isAddress: false });
    parts.push({ text: address, isAddress: true });
    at = index + address.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isAddress: false });
  return parts;
}

/** Words of code by what they are, for colours. */
export type CodePart = { text: string; kind: 'word' | 'text' | 'plain' };

const TOKENS =
  /"(?:[^"\\\n]|\\.){0,4000}"|'(?:[^'\\\n]|\\.){0,4000}'|\b(?:import|from|as|for|of|in|await|const|print|new|True|False|None|true|false|null|curl|jq)\b|\b\d+(?:\.\d+)?\b/g;

export function codeParts(line: string): CodePart[] {
  const parts: CodePart[] = [];
  let at = 0;
  for (const { 0: found, index } of line.matchAll(TOKENS)) {
    if (index > at) parts.push({ text: line.slice(at, index), kind: 'plain' });
    parts.push({ text: found, kind: /^["']/.test(found) ? 'text' : 'word' });
    at = index + found.length;
  }
  if (at < line.length) parts.push({ text: line.slice(at), kind: 'plain' });
  return parts;
}
