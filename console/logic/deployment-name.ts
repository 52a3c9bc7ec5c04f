import { shortSource } from './source.ts';

export const NAME_LENGTH_MAX = 63;
const LOST = /^[-_]+/;
const TRAILING = /[-_]+$/;
/** What an accent leaves behind when its letter is taken apart from it. */
const MARKS = /\p{M}+/gu;
const UNFIT = /[^a-z0-9_-]+/g;
/** Longer texts are no names; they are cut before anything is read of them. */
const READ_MAX = 512;

/**
 * A name that the API takes, from what somebody types: `My Agent` becomes `my-agent`. A `-` at the end stays,
 * for more may follow.
 */
export const typedName = (typed: string): string =>
  typed
    .slice(0, READ_MAX)
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .trimStart()
    .replace(UNFIT, '-')
    .replace(LOST, '')
    .slice(0, NAME_LENGTH_MAX);

/** The same, of a whole text: it ends with a letter or a digit too. */
export const nameOf = (text: string): string => typedName(text.trim()).replace(TRAILING, '');

/**
 * What a deployment of this source is called unless somebody says otherwise; '' where that cannot be told.
 */
export function suggestedName({ source, folder = '' }: { source: string; folder?: string }): string {
  const below = folder.split('/').findLast((part) => part !== '' && part !== '.');
  const parts = shortSource(source.trim()).split('/');
  // Of an address that is still being typed there may be the host alone.
  const last =
    (source.includes('://') && parts.length === 1 && !source.startsWith('file:')
      ? undefined
      : parts.at(-1)) ?? '';
  const repository = last.split(/[:@]/, 1)[0] ?? '';
  return nameOf(below === undefined ? repository : `${repository}-${below}`);
}

/** Another name where this one is taken: `agent` becomes `agent-2`, `agent-2` becomes `agent-3`. */
export function nextName(name: string, taken: readonly string[]): string {
  const [, stem = name, number = '1'] = /^(.*?)-(\d{1,4})$/.exec(name) ?? [];
  for (let next = Number(number) + 1; ; next += 1) {
    const ending = `-${next}`;
    const candidate = `${stem.slice(0, NAME_LENGTH_MAX - ending.length).replace(TRAILING, '')}${ending}`;
    if (!taken.includes(candidate)) return candidate;
  }
}
