import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder of this machine, and what is said in its place. */
export type HiddenFolder = readonly [path: string, shown: string];
export type HidePaths = (text: string) => string;

/** Names another folder of data to a program of ours that is started with one inside of it. */
export const HIDDEN_FOLDER_VARIABLE = 'SLIPWAY_HIDDEN_FOLDER';

/** Where this program lies. */
const OWN_FOLDER = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/+$/, '');
/**
 * Inside of an address or another path it is no path of this machine; behind `file://` or the colour of a
 * terminal it is.
 */
const BEGINNING = String.raw`(?<=^|file://|\u001b\[[\d;]*m|[^\w.\]~/-])`;
/** No folder worth hiding has a shorter path; `/` would be found everywhere. */
const PATH_LENGTH_MIN = 4;

/**
 * Makes a function that takes folders of this machine out of texts for clients, who may be elsewhere: those
 * given, the one that the environment names (`<data>`), the home folder (`~`) and the program's own
 * (`<slipway>`). What lies in a folder keeps the rest of its path; of folders inside each other the inner one
 * is named.
 */
export function pathHiding(folders: readonly HiddenFolder[]): HidePaths {
  const all: HiddenFolder[] = [
    ...folders,
    [process.env[HIDDEN_FOLDER_VARIABLE] ?? '', '<data>'],
    [homedir(), '~'],
    [OWN_FOLDER, '<slipway>'],
  ];
  const forms = all
    .flatMap(([path, shown]) => formsOf(path).map((form) => ({ form, shown })))
    .filter(({ form }) => form.length >= PATH_LENGTH_MIN)
    .toSorted((a, b) => b.form.length - a.form.length)
    .map(({ form, shown }) => ({
      form,
      shown,
      pattern: new RegExp(`${BEGINNING}${RegExp.escape(form)}(?![\\w-])`, 'g'),
    }));
  return (text) =>
    forms.reduce(
      (hidden, { form, shown, pattern }) =>
        hidden.includes(form) ? hidden.replace(pattern, () => shown) : hidden,
      text,
    );
}

/** As it was named, as it is without links, and both as in a `file:` URL. */
function formsOf(path: string): string[] {
  if (path === '') return [];
  const plain = path.replace(/\/+$/, '');
  const names = [plain, withoutLinks(plain)];
  return [...new Set([...names, ...names.map((name) => encodeURI(name))])];
}

/** Also of a folder that is still to be made. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(withoutLinks(parent), basename(path));
  }
}
