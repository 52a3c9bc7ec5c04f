import { readFileSync } from 'node:fs';
import * as z from 'zod';

const root = new URL('../../../', import.meta.url);
const pathsSchema = z.array(z.string());

/** What one folder may import. Paths are relative to `lib`, except `functions`. */
const ruleSchema = z.strictObject({
  holds: z.string(),
  imports: pathsSchema,
  /** Folders of which it may import types only. */
  types: pathsSchema.default([]),
  /** Files and folders it may not import although `imports` has the folder they are in. */
  except: pathsSchema.default([]),
  /** Patterns of packages and Node modules. Absent: any. */
  packages: pathsSchema.optional(),
});

export type ImportRule = z.infer<typeof ruleSchema> & {
  /** `lib/<folder>`, `lib/<file>.ts` or `functions`; a `*` stands for the name of any one folder. */
  path: string;
};

/** The rules of `import-rules.json`, in its order. */
export const importRules: ImportRule[] = Object.entries(
  z
    .record(z.string(), ruleSchema)
    .parse(JSON.parse(readFileSync(new URL('import-rules.json', root), 'utf8'))),
).map(([path, rule]) => ({ path, ...rule }));

/** As `imports` names it: `lib/store` is `store`. */
export const nameOf = (path: string): string => path.replace(/^lib\//, '');

const isInside = (name: string, folder: string): boolean => name.startsWith(`${folder}/`);
const isFile = (name: string): boolean => name.endsWith('.ts');
const ending = (name: string): string =>
  (isFile(name) ? `${name.replaceAll('.', '\\.')}$` : `${name}/`).replaceAll('*', '[^/]+');

/** Matches the specifiers that lead from a file of `own` to the named folders and files. */
function leadingTo(names: readonly string[], own: string): { regex: string } {
  const up = isFile(own) ? '(?:\\.{1,2}/)+' : '(?:\\.\\./)+';
  const covered = (name: string) => names.some((folder) => isInside(name, folder));
  const targets = names.filter((name) => !covered(name)).map(ending);
  const subfolders = names.filter((name) => isInside(name, own)).map((name) => name.slice(own.length + 1));
  return {
    regex: [
      `^${up}(?:lib/)?(?:${targets.join('|')})`,
      ...subfolders.map((name) => `^(?:\\./|(?:\\.\\./)+)${ending(name)}`),
    ].join('|'),
  };
}

const list = (names: readonly string[]): string => names.join(', ') || 'nothing else';

const FEATURES = 'features';

/**
 * What files of `lib/features/<name>/` may not import of their own folder and of those beside it. A verb sees
 * all of its own feature, and of another one the files that its rule names. Every other kind of file sees
 * only the named ones of its own feature too.
 */
function siblings(own: string, imports: readonly string[]): string[] {
  if (own !== FEATURES && !isInside(own, FEATURES)) return [];
  const files = imports.flatMap((name) => (isInside(name, FEATURES) ? [name.replace(/^.*\//, '')] : []));
  const others = ['../[a-z]*/*', ...files.map((file) => `!../*/${file}`)];
  return own === FEATURES ? others : ['./*', ...files.map((file) => `!./${file}`), ...others];
}

/** The linter's patterns for one folder. */
function patternsOf({ path, imports, types, except, packages }: ImportRule): object[] {
  const own = nameOf(path);
  const every = [...importRules.map((rule) => nameOf(rule.path)), 'bin', 'test'];
  const refused = every.filter((name) => ![own, ...imports, ...types].includes(name) && !isInside(own, name));
  const filesOf = (folder: string) => [...imports, ...types].filter((name) => isInside(name, folder));
  const andTypes = types.length > 0 ? ` and types of ${list(types)}` : '';
  const butNot = except.length > 0 ? `, but not ${list(except)}` : '';
  const message = `${path} imports ${list(imports)}${andTypes}${butNot}.`;
  const patterns: object[] = [
    { ...leadingTo([...refused.filter((name) => filesOf(name).length === 0), ...except], own), message },
  ];
  if (types.length > 0) patterns.push({ ...leadingTo(types, own), allowTypeImports: true, message });
  // Where single files of a folder are allowed: the linter's regular expressions know no lookahead. One group
  // has all that is let through, for what one group lets through another one does not refuse.
  const single = refused
    .filter((name) => filesOf(name).length > 0)
    .flatMap((folder) => [
      `**/${folder}/*`,
      `**/${folder}/*/**`,
      ...filesOf(folder).flatMap((name) => [`!**/${name}`, ...(isFile(name) ? [] : [`!**/${name}/**`])]),
    ]);
  const ownPackages = packages?.flatMap((each) => [`!${each}`, `!${each}/**`]) ?? [];
  const others = packages === undefined ? [] : ['*', ...ownPackages, '!./**', '!../**'];
  const ofPackages = packages === undefined ? '' : ` It imports the packages ${list(packages)}.`;
  const beside = siblings(own, imports);
  const group = [...others, ...single, ...beside];
  if (group.length > 0)
    patterns.push({
      group,
      message:
        single.length + beside.length > 0
          ? `${message}${ofPackages}`
          : `${path} imports the packages ${list(packages ?? [])}.`,
    });
  return patterns;
}

/** The overrides of `.oxlintrc.json` that hold the import rules. */
export function overrides(): object[] {
  return importRules.map((rule) => ({
    files: [isFile(rule.path) ? rule.path : `${rule.path}/**`],
    rules: { 'no-restricted-imports': ['error', { patterns: patternsOf(rule) }] },
  }));
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The table of docs/architecture.md. */
export function table(): string {
  const rows = importRules.map(({ path, holds, imports, types, except, packages }) => {
    const folders = [
      code(imports) || 'nothing',
      ...(types.length > 0 ? [`types of ${code(types)}`] : []),
      ...(except.length > 0 ? [`not ${code(except)}`] : []),
    ].join('; ');
    const allowed = packages === undefined ? 'any' : code(packages) || 'none';
    return `| \`${path}\` | ${holds} | ${folders} | ${allowed} |`;
  });
  return ['| Path | Holds | Imports | Packages |', '|---|---|---|---|', ...rows].join('\n');
}
