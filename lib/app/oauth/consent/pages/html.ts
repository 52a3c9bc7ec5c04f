import { withBidiShown } from '../../../../shown-text.ts';

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Controls and what else is not seen would let a claim look like another one, as turning marks would. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (text: string): string =>
  withBidiShown(text)
    .replaceAll(INVISIBLE, '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Text that is HTML already; everything else is escaped when it is put into some. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const partText = (part: string | Html | readonly Html[]): string => {
  if (typeof part === 'string') return escaped(part);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('');
};

/** HTML of a template whose values are escaped, for text and for quoted attributes. */
export const html = (strings: TemplateStringsArray, ...parts: (string | Html | readonly Html[])[]): Html =>
  new Html(strings.reduce((text, string, index) => text + partText(parts[index - 1] ?? '') + string));
