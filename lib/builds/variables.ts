import type { BuildJob } from '../adapters/builds.ts';

/** The variables of a build, which its commands have in their environment. */
export type BuildVariables = Pick<BuildJob, 'buildEnv' | 'buildSecrets'>;

/** What pip calls an index, and uv, which installs for it and does not read what is for pip. */
const INDEXES = [
  { pip: 'PIP_INDEX_URL', uv: 'UV_DEFAULT_INDEX', older: 'UV_INDEX_URL' },
  { pip: 'PIP_EXTRA_INDEX_URL', uv: 'UV_INDEX', older: 'UV_EXTRA_INDEX_URL' },
];

/**
 * What a client adds to the environment of the commands of a build, secrets in plain included. Indexes for
 * pip are told uv too, unless it is told others.
 */
export function variablesOf({ buildEnv, buildSecrets }: BuildVariables): Record<string, string> {
  const own = Object.fromEntries([...buildEnv, ...buildSecrets].map(({ name, value }) => [name, value]));
  const indexes = INDEXES.flatMap(({ pip, uv, older }) => {
    const value = own[pip];
    const isTold = own[uv] !== undefined || own[older] !== undefined;
    return value === undefined || isTold ? [] : [[uv, value] as const];
  });
  return { ...own, ...Object.fromEntries(indexes) };
}

/** The values that nothing may show or keep. */
export const secretValuesOf = ({ buildSecrets }: Pick<BuildVariables, 'buildSecrets'>): string[] =>
  buildSecrets.map(({ value }) => value);
