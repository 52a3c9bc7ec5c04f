/**
 * Whether a run is to be brief, as those of CI are (`TEST_BRIEF`): what builds real packages only to show of
 * one more language, version or lockfile what another test shows is left to `npm run test:agents` and
 * `test:aws`.
 */
export const isBrief = process.env.TEST_BRIEF !== undefined;

/** Files that a brief run leaves out, and what still speaks for them there. */
export const LEFT_OUT = [
  // The templates of FastAPI, MCP and LangGraph, in agents-fresh-machine.test.ts; plans of 96 source trees.
  'test/e2e/agents-other-servers.test.ts',
  'test/e2e/agents-examples.test.ts',
  // Installs with a pretended npm, in test/unit/checks/setup.test.ts; a run of CI begins with a real one.
  'test/e2e/agents-first-start.test.ts',
  // Backups of the database by itself, in test/agents/postgres, and of the rest, in test/e2e/backup.test.ts.
  'test/agents/durable/backup.test.ts',
  // Plans of projects in test/unit/builds; the scripts in flow.test.ts and sources.test.ts beside it.
  'test/infra/image-builder/projects.test.ts',
  // Agents on Fargate in fargate.test.ts.
  'test/aws/fargate-tour.test.ts',
];
