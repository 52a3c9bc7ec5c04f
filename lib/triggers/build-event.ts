import * as z from 'zod';
import { type BuildChanged, buildVariables } from '../adapters/builds.ts';
import { once } from '../contract/once.ts';

/** The part of a CodeBuild state change that says which build it is and of which revision. */
const codeBuildEvent = z.object({
  detail: z.object({
    'build-id': z.string(),
    'additional-information': z.object({
      environment: z.object({
        'environment-variables': z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    }),
  }),
});
export type CodeBuildEvent = z.input<typeof codeBuildEvent>;

/**
 * Makes the function that build state changes call. The event is a hint only: the build itself is asked for
 * its state.
 */
export function buildEvent<D>(
  record: (deps: D, changed: BuildChanged) => Promise<void>,
): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (event) => record(kept(), changedOf(event));
  };
}

function changedOf(event: unknown): BuildChanged {
  const { detail } = codeBuildEvent.parse(event);
  const variables = detail['additional-information'].environment['environment-variables'];
  // Events name the ARN, which ends with the id that every other call takes.
  const buildId = detail['build-id'].slice(detail['build-id'].lastIndexOf('/') + 1);
  const value = (name: string): string => {
    const found = variables.find((variable) => variable.name === name)?.value;
    if (found === undefined) throw new Error(`Build ${buildId} was started without the variable ${name}`);
    return found;
  };
  return {
    buildId,
    ref: {
      tenantId: value(buildVariables.tenantId),
      deploymentId: value(buildVariables.deploymentId),
      revisionId: value(buildVariables.revisionId),
    },
  };
}

/** The event that CodeBuild would send of this change; the embedded runtime sends it to the same function. */
export const codeBuildEventOf = ({ buildId, ref }: BuildChanged): CodeBuildEvent => ({
  detail: {
    'build-id': buildId,
    'additional-information': {
      environment: {
        'environment-variables': [
          { name: buildVariables.tenantId, value: ref.tenantId },
          { name: buildVariables.deploymentId, value: ref.deploymentId },
          { name: buildVariables.revisionId, value: ref.revisionId },
        ],
      },
    },
  },
});
