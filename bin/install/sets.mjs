/**
 * @import { PackageSet, Lockfile, Package } from './sets.mjs'
 * @typedef {'dependencies' | 'optionalDependencies' | 'devDependencies'} Field
 */

/**
 * What each set begins with: places in the lockfile, and the fields there that count.
 *
 * @type {Record<PackageSet, readonly (readonly [place: string, ...fields: Field[]])[]>}
 */
const roots = {
  run: [['', 'dependencies', 'optionalDependencies']],
  all: [
    ['', 'dependencies', 'optionalDependencies', 'devDependencies'],
    ['packages/kubernetes', 'dependencies'],
  ],
  kubernetes: [['packages/kubernetes', 'dependencies']],
  node: [['packages/node', 'optionalDependencies']],
};

/** @param {readonly PackageSet[]} sets */
export function wordsOf(sets) {
  const places = new Set(sets.flatMap((set) => roots[set]).map(([place]) => place));
  const workspaces = [...places].filter((place) => place !== '').map((place) => `--workspace=${place}`);
  const root = places.has('') ? ['--include-workspace-root'] : [];
  return [
    ...(workspaces.length === 0 ? ['--workspaces=false'] : [...workspaces, ...root]),
    sets.includes('all') ? '--include=dev' : '--omit=dev',
  ];
}

/**
 * @param {Lockfile} lockfile
 * @param {readonly PackageSet[]} sets
 * @param {{ platform: string, arch: string }} machine
 */
export function placesOf({ packages }, sets, { platform, arch }) {
  /** @type {Set<string>} */
  const found = new Set();
  const open = sets
    .flatMap((set) => roots[set])
    .flatMap(([from, ...fields]) =>
      fields.flatMap((field) => Object.keys(packages[from]?.[field] ?? {}).map((name) => ({ from, name }))),
    );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const place = resolved(packages, next.from, next.name);
    const entry = place === undefined ? undefined : packages[place];
    if (place === undefined || entry === undefined) continue;
    if (found.has(place) || !runsOn(entry, platform, arch)) continue;
    found.add(place);
    open.push(...namesOf(entry).map((name) => ({ from: place, name })));
  }
  return [...found];
}

/** @param {Package} entry */
const namesOf = ({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) => [
  ...Object.keys({ ...dependencies, ...optionalDependencies }),
  ...Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true),
];

/**
 * Where Node finds a package that one at a place imports, in the folders above it.
 *
 * @param {Lockfile['packages']} packages
 * @param {string} from
 * @param {string} name
 */
function resolved(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === '') return undefined;
  }
}

/**
 * Which C library the machine has, npm alone knows: packages for one are not counted.
 *
 * @param {Package} entry
 * @param {string} platform
 * @param {string} arch
 */
const runsOn = ({ os, cpu, libc }, platform, arch) =>
  libc === undefined && allows(os, platform) && allows(cpu, arch);

/**
 * @param {readonly string[] | undefined} list Names, or names that are not meant: `!win32`.
 * @param {string} value
 */
const allows = (list, value) =>
  list === undefined ||
  (!list.includes(`!${value}`) && (list.includes(value) || list.every((each) => each.startsWith('!'))));
