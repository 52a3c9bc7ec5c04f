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
};

/** The environment of docker: its configuration holds no credentials. */
export const dockerEnvironment = ({ home }: Machine): Record<string, string> => ({
  ...bareEnvironment(home),
  DOCKER_CONFIG: `${home}/.docker`,
});
