/**
 * The offset of the first character that makes `text` no JSON. The engine's own message gives it only sometimes, and otherwise
 * quotes the text, which may hold secrets. So it is found by halving: up to that character every prefix could still be
 * completed, from it on none could.
 */
export function jsonErrorOffset(text: string): number {
  // Most often it is the end that is missing, and one attempt tells.
  if (canBeCompleted(text)) return text.length;
  let completable = 0;
  let broken = text.length;
  while (broken - completable > 1) {
    const middle = Math.floor((completable + broken) / 2);
    if (canBeCompleted(text.slice(0, middle))) completable = middle;
    else broken = middle;
  }
  return completable;
}

function canBeCompleted(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (message.startsWith('Unexpected end')) return true;
    return Number(/at position (\d+)/.exec(message)?.[1]) === prefix.length;
  }
}

/** `line 2 column 5`, counted from 1. */
export function jsonErrorPlace(text: string, offset = jsonErrorOffset(text)): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line} column ${before.length - before.lastIndexOf('\n')}`;
}
