import { withoutSequences } from '../../contract/terminal-text.ts';
import { withBidiShown } from '../../shown-text.ts';

const LENGTH_MAX = 160;
/** More of a text is not looked at. */
const LOOKED_AT_MAX = 2000;

/** What a message says first, on one line, without its full stop; cut where it is long. */
export function firstSentence(text: string): string {
  const shown = withBidiShown(withoutSequences(text.slice(0, LOOKED_AT_MAX)));
  const [first = '', ...rest] = shown.split('\n').filter((each) => each.trim() !== '');
  // What introduces the next line says nothing alone; how npm names a script and its command adds nothing.
  const second = rest.find((each) => !each.startsWith('> ')) ?? '';
  const line = first.trimEnd().endsWith(':') ? `${first.trimEnd()} ${second.trim()}` : first;
  const end = line.indexOf('. ');
  const sentence = (end === -1 ? line : line.slice(0, end)).trim();
  const cut = sentence.length > LENGTH_MAX ? `${sentence.slice(0, LENGTH_MAX).trimEnd()}…` : sentence;
  return cut.replace(/[.:]$/, '');
}
