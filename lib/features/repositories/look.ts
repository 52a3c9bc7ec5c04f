import { SourceError } from '../../adapters/git.ts';
import type { GitCredentials } from '../../adapters/git-credentials.ts';
import type { SeenFiles } from '../../adapters/repositories.ts';
import { type Found, lookAtProject, type Place, pathsToRead } from '../../builds/look.ts';
import { textOfFile } from '../../contract/file-text.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { DEFAULT_REF } from '../../domain/source.ts';
import { accessTo, commitViewOf, type ReadDeps, reading } from './read.ts';
import type { lookAtRepository as row } from './routes.ts';
import type { LookView } from './shape.ts';

type Query = RouteInput<typeof row>['query'];

/** What a build would find in a repository, and which variables its own files name; nothing of it is kept. */
export async function lookAtRepository(
  deps: ReadDeps,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const credentials = await accessTo(deps, caller.tenantId, query);
  const place: Place = { rootDirectory: query.root_directory, configPath: query.config_path };
  const { seen, problem } = await reading(query.repo_url, credentials, () =>
    filesOf(deps, query, place, credentials),
  );
  if (seen === undefined) return { ...nothing, ref: query.ref ?? null, problem };
  const { ref, files } = seen;
  const texts = new Map([...files.texts].map(([path, bytes]) => [path, textOfFile(bytes)]));
  const looked = lookAtProject(files.paths, texts, place);
  return {
    ref,
    commit: commitViewOf(files.commit),
    found: looked.found === undefined ? null : foundViewOf(looked.found),
    problem: looked.problem === undefined ? null : `${looked.problem}.`,
    secrets_asked: looked.variables,
    folders: looked.folders,
    files: looked.files,
  };
}

const nothing: LookView = {
  ref: null,
  commit: null,
  found: null,
  problem: null,
  secrets_asked: [],
  folders: [],
  files: [],
};

async function filesOf(
  { repositories }: ReadDeps,
  { repo_url: repoUrl, ref: asked }: Query,
  place: Place,
  credentials: GitCredentials | undefined,
): Promise<{ ref: string; files: SeenFiles } | undefined> {
  const ref = asked ?? (await defaultBranch());
  if (ref === undefined) return undefined;
  const pick = (paths: readonly string[]) => pathsToRead(paths, place);
  const files = await repositories.files(repoUrl, { ref, pick }, credentials);
  return files && { ref, files };

  async function defaultBranch(): Promise<string | undefined> {
    const branches = await repositories.branches(repoUrl, credentials);
    if (branches === undefined) return undefined;
    if (branches.commits.size === 0)
      throw new SourceError(`Repository ${repoUrl} has no branches yet: push a commit to it first`);
    return branches.defaultBranch ?? DEFAULT_REF;
  }
}

const foundViewOf = (found: Found): NonNullable<LookView['found']> => ({
  kind: found.kind,
  says: found.says,
  file: found.file,
  language: found.language,
  version: found.version ?? null,
  graphs: found.graphs,
  config_path: found.configPath ?? null,
  start: found.start ?? null,
});
