import { type TomlTable, type TomlValue } from 'smol-toml';
import { isTable, tomlOf, valueIn } from './detect/toml.ts';

/** Options of a requirements file that lead to no file: an index, and what is taken of it. */
const INDEX_OPTION =
  /^(?:(?:-i|--index-url|--extra-index-url)[ =]https?:\/\/\S+|--trusted-host[ =]\S+|--(?:no-binary|only-binary)[ =]\S+|--pre|--prefer-binary|--require-hashes)$/;
/** A name with its extras and versions. It is matched where each space is a single one. */
const PLAIN = /^([A-Za-z0-9][\w.-]*) ?(?:\[[\w ,.-]*\] ?)?(?:\(?[<>=~!][\w .*+!<>=~,-]*\)?)?$/;
/** pip takes a name that ends so for a file beside the requirements. */
const ARCHIVE = /\.(?:whl|zip|tgz|tbz|txz|tlz|tar|tar\.\w+)$/i;
const HASH = /^(?:sha256|sha384|sha512):[0-9a-f]+$/;

/**
 * The first line of a requirements file that may lead to files besides an index: all but plain requirements
 * and the options of an index. Undefined when there is none.
 */
export function localRequirement(text: string): string | undefined {
  return text
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => words(line.slice(0, commentAt(line))))
    .find((line) => line !== '' && !INDEX_OPTION.test(line) && !isPlain(line));
}

const words = (text: string): string => text.trim().split(/\s+/).join(' ');

function commentAt(line: string): number {
  const at = line.search(/(?:^|\s)#/);
  return at === -1 ? line.length : at;
}

function isPlain(line: string): boolean {
  const [requirement = '', ...hashes] = line.split(/ --hash[= ]/);
  const [named = ''] = requirement.split(';', 1);
  const name = PLAIN.exec(named.trim())?.[1];
  return name !== undefined && !ARCHIVE.test(name) && hashes.every((hash) => HASH.test(hash.trim()));
}

/** What a value says, where it has one of these names, that leads to other folders. */
const LOCAL_NAMES = ['path', 'workspace', 'editable', 'directory', 'find-links'];
/** They name an index, or a file of one: on the network unless it lies in the source. */
const ADDRESSES = ['url', 'file', 'index-url', 'extra-index-url'];
/** The tables that say what a project depends on. Tools of other purposes have paths of their own. */
const OF_DEPENDENCIES = [
  ['project', 'dependencies'],
  ['project', 'optional-dependencies'],
  ['dependency-groups'],
  ['tool', 'uv'],
  ['tool', 'poetry'],
  ['tool', 'pdm'],
];

/** The first thing in a TOML file of a project that leads to other folders; undefined when there is none. */
export function localInToml(name: string, text: string): string | undefined {
  const table = tomlOf(new Map([[name, text]]), name);
  if (name !== 'pyproject.toml') return localIn(table);
  if (valueIn(table, 'tool', 'uv', 'workspace') !== undefined) return '[tool.uv.workspace]';
  const parts = OF_DEPENDENCIES.map((keys) => valueIn(table, ...keys));
  return parts.map((part) => localIn(part)).find((found) => found !== undefined);
}

function localIn(value: TomlValue | undefined): string | undefined {
  if (typeof value === 'string') return /@\s*file:/.test(value) ? value : undefined;
  if (Array.isArray(value)) return firstOf(value, localIn);
  if (!isTable(value)) return undefined;
  return firstOf(Object.entries(value), ([key, inner]) => localUnder(key, inner) ?? localIn(inner));
}

function localUnder(key: string, value: TomlTable[string]): string | undefined {
  const isLocal =
    (LOCAL_NAMES.includes(key) && value !== false) ||
    (ADDRESSES.includes(key) && [value].flat().some((one) => typeof one === 'string' && !isRemote(one)));
  return isLocal ? key : undefined;
}

const isRemote = (address: string): boolean => /^(?:https?|ssh|git\+\w+):/.test(address);

function firstOf<T>(all: readonly T[], find: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * What of a lockfile lies in the source: each line is tried by itself, for such files have megabytes. The
 * project itself, which uv locks as virtual, is none.
 */
const LOCKED_LOCALLY: Readonly<Record<string, RegExp>> = {
  'uv.lock': /\b(?:(?:editable|directory|path) = "|virtual = "(?!\.")|(?:registry|url) = "(?!https?:|ssh:))/,
  'poetry.lock': /^(?:type = "(?:directory|file)"|url = "(?!https?:|ssh:))/m,
  'pdm.lock': /^path = "/m,
  'Pipfile.lock': /"(?:path|file|editable)": /,
};

/** Whether a lockfile of this name has locked something that lies in the source. */
export const isLockedLocally = (name: string, text: string): boolean =>
  LOCKED_LOCALLY[name]?.test(text) ?? false;
