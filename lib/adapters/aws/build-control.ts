import {
  BatchGetBuildsCommand,
  type Build,
  CodeBuildClient,
  ResourceNotFoundException,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import type { BuildControl, BuildState } from '../builds.ts';
import { buildStateOf, imageDigestOf, revisionOfBuild } from './build-state.ts';
import { hasImage } from './registry.ts';

/**
 * Looks at builds in CodeBuild and stops them; it needs none of what a start does. `registryHost`: where
 * images of builds are.
 */
export function createBuildControl(registryHost: string | undefined): BuildControl {
  const client = new CodeBuildClient({});
  return {
    // CodeBuild takes the container away within seconds; what it may still upload until then is never read.
    async stop(buildId) {
      await client.send(new StopBuildCommand({ id: buildId })).catch((error: unknown) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      });
    },
    async state(buildId) {
      const { builds = [] } = await client.send(new BatchGetBuildsCommand({ ids: [buildId] }));
      return checkedState(builds[0], registryHost);
    },
  };
}

/** An image that a build reports is believed when the registry has it. */
async function checkedState(build: Build | undefined, registryHost: string | undefined): Promise<BuildState> {
  const state = buildStateOf(build, registryHost);
  if (build === undefined || state.state !== 'succeeded' || state.artifact.kind !== 'image') return state;
  if (await hasImage(revisionOfBuild(build), imageDigestOf(state.artifact))) return state;
  return {
    state: 'failed',
    message:
      'The build reported an image that is not in the registry of this deployment; redeploy to build again.',
  };
}
