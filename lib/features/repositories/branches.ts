import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { accessTo, type ReadDeps, reading } from './read.ts';
import type { listBranches as row } from './routes.ts';

const LISTED_MAX = 500;

/** The branches of a repository, the default branch first, the others by their names. */
export async function listBranches(
  deps: ReadDeps,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const credentials = await accessTo(deps, caller.tenantId, query);
  const { seen, problem } = await reading(query.repo_url, credentials, () =>
    deps.repositories.branches(query.repo_url, credentials),
  );
  if (seen === undefined) return { default_branch: null, resources: [], more: false, problem };
  const { defaultBranch, commits } = seen;
  const part = query.name_contains?.toLowerCase() ?? '';
  const names = [...commits.keys()].filter((name) => name.toLowerCase().includes(part)).sort();
  const isFirst = (name: string) => (name === defaultBranch ? 0 : 1);
  const found = names.sort((one, other) => isFirst(one) - isFirst(other));
  return {
    default_branch: defaultBranch ?? null,
    resources: found.slice(0, LISTED_MAX).map((name) => ({ name, commit: commits.get(name) ?? '' })),
    more: found.length > LISTED_MAX,
    problem: null,
  };
}
