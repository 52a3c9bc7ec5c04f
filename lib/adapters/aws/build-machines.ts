import { type BuildJob, CannotBuildFor } from '../builds.ts';

/**
 * What a job brings is good for an hour, as the credentials are that a function makes under another role. A
 * build waits and runs within that.
 */
export const JOB_SECONDS = 3600;

/** An environment of CodeBuild, by the platform that it builds for without emulation. */
export type BuildMachine = { type: 'LINUX_CONTAINER' | 'ARM_CONTAINER'; image: string };

export const AMD64: BuildMachine = {
  type: 'LINUX_CONTAINER',
  image: 'aws/codebuild/amazonlinux-x86_64-standard:5.0',
};
export const ARM64: BuildMachine = {
  type: 'ARM_CONTAINER',
  image: 'aws/codebuild/amazonlinux-aarch64-standard:3.0',
};

const MACHINES = new Map([
  ['linux/amd64', AMD64],
  ['linux/arm64', ARM64],
]);
/** For a listener of which nothing is known. */
const DEFAULT_PLATFORM = 'linux/amd64';

/**
 * What a job is built for, and where. A folder is made on a machine of its own kind. Images may be for
 * several: one for arm64 alone is built on such a machine, what is left on amd64, by emulation where it is
 * for neither. Throws CannotBuildFor.
 */
export function machineFor({ output, platforms }: Pick<BuildJob, 'output' | 'platforms'>): {
  machine: BuildMachine;
  platforms: string[];
} {
  const [first = DEFAULT_PLATFORM] = platforms;
  if (output === 'image') {
    const wanted = platforms.length > 0 ? platforms : [first];
    const foreign = wanted.some((one) => !one.startsWith('linux/'));
    if (foreign) throw new CannotBuildFor(wanted, [...MACHINES.keys()]);
    return {
      machine: wanted.every((one) => one.startsWith('linux/arm64')) ? ARM64 : AMD64,
      platforms: wanted,
    };
  }
  const machine = MACHINES.get(first);
  if (machine === undefined) throw new CannotBuildFor([first], [...MACHINES.keys()]);
  return { machine, platforms: [first] };
}
