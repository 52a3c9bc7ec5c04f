import type { Job } from './job.ts';
import type { Report } from './report.ts';
import { bareEnvironment } from './run.ts';

/** A build on a machine of CodeBuild. */
export type Machine = {
  job: Job;
  buildName: string;
  report: Report;
  /** Readable by nobody else; it goes at the end. */
  work: string;
  /** The source, in the work folder; its files keep ordinary modes, which images take over. */
  source: string;
  /** An empty home for programs. */
  home: string;
  /** The step that is named when it breaks. */
  step: string;
  /** Where all happens that a project has a say in: `path` names the namespace. */
  network?: { path: string; dockerHost: string };
};

/** The environment of docker's client, which reads its configuration from the empty home. */
export const dockerEnvironment = ({ home, network }: Machine): Record<string, string> => ({
  ...bareEnvironment(home),
  DOCKER_CONFIG: `${home}/.docker`,
  ...(network !== undefined && { DOCKER_HOST: network.dockerHost }),
});

/** A program with its arguments, as it is started in the network of builds. */
export function inNetwork(
  { network }: Machine,
  program: string,
  args: readonly string[],
): [program: string, args: string[]] {
  if (network === undefined) throw new Error(`${program} was to run before the build was shut in`);
  return ['nsenter', [`--net=${network.path}`, program, ...args]];
}
