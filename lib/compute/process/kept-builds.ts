import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { writeFileAtomicSync } from '../../processes/atomic-file.ts';
import { buildIdOf } from './durable.ts';

/** What it takes to start a build again. Secrets come with the revision that serves: here are their names. */
const keptBuild = z.object({
  build_id: z.string(),
  /** The newest revision of it, whose folder is there. */
  revision_id: z.string(),
  sha256: z.string(),
  graph_config_path: z.string(),
  commit_sha: z.string().nullable(),
  variables: z.array(z.string()),
  /** When another build took its place, in milliseconds since the epoch; absent: it serves, or never did. */
  replaced_at: z.number().optional(),
});
export type KeptBuild = z.infer<typeof keptBuild>;

/** The note of a deployment's builds, in its folder. */
export const KEPT_BUILDS = 'builds.json';

/** The builds of a deployment that are noted in its folder; none where there is no such note. */
export function keptBuildsIn(deploymentFolder: string): KeptBuild[] {
  const file = join(deploymentFolder, KEPT_BUILDS);
  return existsSync(file) ? z.array(keptBuild).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

/** Notes the builds of a deployment in its folder. */
export const noteKeptBuilds = (deploymentFolder: string, builds: readonly KeptBuild[]): void =>
  writeFileAtomicSync(join(deploymentFolder, KEPT_BUILDS), JSON.stringify(builds));

/** Says of each build since when another one serves. */
export const withReplaced = (builds: readonly KeptBuild[], serving: string, now: number): KeptBuild[] =>
  builds.map(({ replaced_at: before = now, ...build }) =>
    build.build_id === serving ? build : { ...build, replaced_at: before },
  );

/** What is noted of a revision. */
export function keptBuildOf(spec: DeploySpec): KeptBuild {
  if (spec.artifact.kind === 'image') throw new Error('an image is no build of this machine');
  return {
    build_id: buildIdOf(spec),
    revision_id: spec.revision_id,
    sha256: spec.artifact.sha256,
    graph_config_path: spec.graph_config_path,
    commit_sha: spec.commit_sha ?? null,
    variables: spec.environment.map(({ name }) => name),
  };
}

/**
 * How a build is started beside the revision that serves: its own code, with the newest values of those of
 * its variables that are still there.
 */
export function specOfKept(build: KeptBuild, serving: DeploySpec): DeploySpec {
  const names = new Set(build.variables);
  return {
    ...serving,
    revision_id: build.revision_id,
    // Its folder is there: nothing is fetched.
    artifact: { kind: 'folder', url: '', sha256: build.sha256 },
    graph_config_path: build.graph_config_path,
    commit_sha: build.commit_sha,
    environment: serving.environment.filter(({ name }) => names.has(name)),
  };
}
