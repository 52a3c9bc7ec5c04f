/**
 * What runs the graphs of a `langgraph.json`: `durable` is Slipway's own server on Postgres, `dev`
 * LangGraph's development server, `licensed` the server of LangChain's image. `command` is whatever the
 * deployment or its source starts.
 */
export const resolvedRuntimes = ['durable', 'dev', 'licensed', 'command'] as const;
export type ResolvedRuntime = (typeof resolvedRuntimes)[number];

/** `auto`: it is chosen once, when the first revision is built. */
export const runtimes = ['auto', ...resolvedRuntimes] as const;
export type Runtime = (typeof runtimes)[number];

/** Why it came to one; responses say it in words. */
export const runtimeReasons = [
  'asked',
  'start_command',
  'own_server',
  'first_revision',
  'redeployed',
  'installation',
  'usual',
] as const;
export type RuntimeReason = (typeof runtimeReasons)[number];

/**
 * Whether graphs are built for Slipway's own agent server, whose worker is then added. Where that cannot be,
 * a build fails, unless it is only `preferred`. `kept`: earlier revisions ran in it; a source without graphs
 * starts what it says by itself. Absent: they are not.
 */
export const durableWishes = ['asked', 'kept', 'preferred'] as const;
export type DurableWish = (typeof durableWishes)[number];

/** What an installation may choose for `auto`. */
export const defaultRuntimes = ['auto', 'durable', 'dev', 'licensed'] as const;
export type DefaultRuntime = (typeof defaultRuntimes)[number];

/**
 * What happens to threads that wait in a graph when a release replaces it: `warn` says what would be lost,
 * `refuse` fails the deploy for it, `pin` keeps them at the revision they wait in, `move` lets them go on in
 * the new one, whatever that has.
 */
export const releaseRules = ['warn', 'refuse', 'pin', 'move'] as const;
export type ReleaseRule = (typeof releaseRules)[number];

/** Why a source has nothing that a runtime could run. */
export const needsGraphs = (runtime: ResolvedRuntime): string =>
  `'source_config.runtime' is '${runtime}', and the source has no langgraph.json for it to run; set runtime to 'command' or 'auto'.`;
export const NEEDS_COMMAND =
  "'source_config.runtime' is 'command', and nothing says how to start it: a langgraph.json names graphs and no command. Give a start_command, or set runtime to 'auto'.";
