import type { Answer } from '../../lib/client/endpoints.ts';

type Look = Answer<'GET /v2/repositories/look'>;
type Found = NonNullable<Look['found']>;

const languages: Record<Found['language'], string | null> = {
  python: 'Python',
  javascript: 'JavaScript',
  other: null,
};

const GRAPHS_NAMED_MAX = 3;

/** `A FastAPI app was found` */
export const foundTitle = ({ says }: Pick<Found, 'says'>): string =>
  `${says.charAt(0).toUpperCase()}${says.slice(1)} was found`;

/** `2 graphs, extract and review`; null of what has none. */
export function graphsText({ graphs }: Pick<Found, 'graphs'>): string | null {
  if (graphs.length === 0) return null;
  const named = graphs.slice(0, GRAPHS_NAMED_MAX).map(({ id }) => id);
  const more = graphs.length - named.length;
  const listed =
    more > 0
      ? `${named.join(', ')} and ${more} more`
      : [named.slice(0, -1).join(', '), named.at(-1)].filter((part) => part !== '').join(' and ');
  return `${graphs.length} ${graphs.length === 1 ? 'graph' : 'graphs'}, ${listed}`;
}

/** `Python 3.12`; null where nothing is known. */
export const languageText = ({ language, version }: Pick<Found, 'language' | 'version'>): string | null => {
  const name = languages[language];
  return name === null ? null : version === null ? name : `${name} ${version}`;
};

/** `in the top folder`, `in apps/reader` */
export const folderText = ({ file }: Pick<Found, 'file'>): string => {
  const folder = file.split('/').slice(0, -1).join('/');
  return folder === '' ? 'in the top folder' : `in ${folder}`;
};

/** `Asks for 3 secrets, 1 is missing`; null where it asks for none. */
export function askedText(asked: number, missing: number): string | null {
  if (asked === 0) return null;
  const asks = `Asks for ${asked} ${asked === 1 ? 'secret' : 'secrets'}`;
  if (missing === 0) return `${asks}, ${asked === 1 ? 'it is there' : 'all are there'}`;
  if (missing === asked) return `${asks}, ${asked === 1 ? 'it is' : 'all are'} missing`;
  return `${asks}, ${missing} ${missing === 1 ? 'is' : 'are'} missing`;
}

/** `“Add German receipts”, Lena`: what the host tells of a commit. */
export const commitText = ({ sha, message, author }: NonNullable<Look['commit']>): string =>
  [message === null ? sha.slice(0, 10) : `“${message}”`, author].filter((part) => part !== null).join(', ');

/** The host that an address names; undefined: it names none yet. */
export function hostIn(address: string): string | undefined {
  const ssh = /^[\w.-]{1,100}@([\w.-]{1,253}):/.exec(address);
  if (ssh !== null) return ssh[1]?.toLowerCase();
  return URL.canParse(address) ? new URL(address).host.toLowerCase() || undefined : undefined;
}
