import type { BuildPlan, BuildStep, Note } from './plan.ts';
import type { ProjectFacts } from './project.ts';

type About = {
  /** What the source was taken for, and by which file. */
  what: string;
  /** How it is started; undefined where that is not known yet. */
  start: string | undefined;
  facts: Pick<ProjectFacts, 'packageJson'>;
};

/** The first lines of a build's log: what the source was taken for, what is done with it, and what changes that. */
export function notesOnPlan(plan: BuildPlan, { what, start, facts }: About): Note[] {
  const words = (step: BuildStep): string[] => wordsOf(step, facts);
  const commands = plan.install.flatMap(({ steps }) => steps.flatMap(words));
  const installs = commands.length > 0 ? commands.join(', then ') : 'nothing';
  const builds = words(plan.build).join('') || 'nothing';
  const ofSource =
    plan.server === 'langgraph'
      ? 'the config file'
      : plan.language === 'plain' && facts.packageJson !== undefined
        ? 'the `web` line of a Procfile, or else the start script of package.json'
        : 'the `web` line of a Procfile';
  const changes = `root_directory, install_command, build_command and start_command of the deployment, and ${ofSource}`;
  return [
    what,
    `Install: ${installs}`,
    `Build: ${builds}`,
    `Start: ${start ?? 'not known yet'}`,
    ...(plan.release === undefined ? [] : [`Release: ${plan.release}`]),
    `What changes this: ${changes}`,
  ].map((text) => ({ text, level: 'INFO' }));
}

function wordsOf(step: BuildStep, facts: About['facts']): string[] {
  switch (step.do) {
    case 'run':
      return [step.command];
    case 'script':
      return wordsOf(facts.packageJson?.scripts[step.name] === undefined ? step.absent : step.present, facts);
    case 'python-server':
      return ['langgraph-cli[inmem], unless the project brings it'];
    case 'durable-worker':
      return [step.command];
    case 'python-package':
      return [`${step.requirement}, unless the project brings ${step.name}`];
    case 'skip':
    case 'fail':
      return [];
  }
}
