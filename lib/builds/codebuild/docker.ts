import { BuildFailure } from '../failure.ts';
import { secretValuesOf } from '../variables.ts';
import { dockerEnvironment, inNetwork, type Machine } from './machine.ts';
import { type Command, lastLine, type Ran, run } from './run.ts';

/** Runs docker's client, shut in as the Docker of builds is, with an environment that holds no credentials. */
export const docker = (
  machine: Machine,
  args: readonly string[],
  more: Omit<Command, 'env'> = {},
): Promise<Ran> => run(...inNetwork(machine, 'docker', args), { ...more, env: dockerEnvironment(machine) });

/**
 * Without a cache, so nothing of another build; what it prints is shown without the job's secrets. Throws
 * BuildFailure when it fails.
 */
export async function dockerBuild(machine: Machine, args: readonly string[]): Promise<void> {
  const options = ['--no-cache', '--pull', '--progress=plain', '--provenance=false', '--sbom=false'];
  const masked = secretValuesOf(machine.job);
  const { code, output } = await docker(machine, ['buildx', 'build', ...options, ...args], { masked });
  if (code !== 0) throw new BuildFailure(reasonIn(output));
}

/**
 * Why a registry hands out no image for now, where that is what docker ran into; undefined where it is not.
 * Docker Hub counts by address where nobody logs in, and an address of CodeBuild is shared with strangers.
 */
export function pullLimitIn(output: string): string | undefined {
  const line = lastLine(output, /toomanyrequests|\b429 too many requests\b/i);
  if (line === undefined) return undefined;
  const later = 'Redeploy in some hours, or take base images from a registry without such a limit';
  if (!/\bdocker\.(io|com)\b/.test(line))
    return `A registry hands out no more images to this address for now (toomanyrequests). ${later}`;
  return `Docker Hub hands out no more images to this address for now (toomanyrequests). ${later}: public.ecr.aws/docker/library has the official ones. Whoever runs this installation may give it an account at Docker Hub, or one with a higher limit (dockerHubSecret)`;
}

/** What a failed image build ran into, without repeating what it printed, which may hold anything. */
function reasonIn(output: string): string {
  const line = lastLine(output, /^ERROR: /) ?? '';
  const limit = pullLimitIn(line);
  if (limit !== undefined) return limit;
  const [, code] = /did not complete successfully: exit code: (\d+)/.exec(line) ?? [];
  if (code === undefined)
    return 'The image could not be built; the lines before this one in the build log say why';
  const [, step] = /\/slipway\/builder\.mjs (install|build)\b/.exec(line) ?? [];
  return step === undefined
    ? `A command of the image build ended with exit code ${code}; the lines before this one in the build log say which and why`
    : `The ${step} step ended with exit code ${code}; the lines before this one in the build log say why`;
}
