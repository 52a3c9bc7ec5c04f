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
  /** A home for programs, empty but for docker's account at Docker Hub, where there is one. */
  home: string;
  /** The step that is named when it breaks. */
  step: string;
  /** Where all happens that a project has a say in: `path` names the namespace. */
  network?: { path: string; dockerHost: string };
};

export const dockerConfigFolder = ({ home }: Pick<Machine, 'home'>): string => `${home}/.docker`;

/** The environment of docker's client. */
export const dockerEnvironment = ({ home, network }: Machine): Record<string, string> => ({
  ...bareEnvironment(home),
  DOCKER_CONFIG: dockerConfigFolder({ home }),
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
