import type { ReleaseRule, Runtime } from '../../lib/contract/deployments/runtimes.ts';

type Choosable<T> = readonly [value: T, word: string, meaning: string];

/** What may run the graphs of a `langgraph.json`: the value, its name, and what choosing it means. */
export const runtimeChoices: readonly [Choosable<Runtime>, ...Choosable<Runtime>[]] = [
  ['auto', 'Choose for me', 'Chosen when the first revision is built, and kept from then on.'],
  [
    'durable',
    'Slipway’s agent server',
    'Threads and runs survive crashes and releases. Graphs in Python, on a machine.',
  ],
  ['dev', 'LangGraph’s development server', 'Starts in seconds. Threads may be lost in a crash.'],
  ['licensed', 'LangChain’s licensed server', 'Runs in a container and asks for a licence key as a secret.'],
  ['command', 'A server of its own', 'What the start command says, or what the project starts by itself.'],
];

/** What runs a server, in words. */
export const runtimeWord = (runtime: Runtime): string =>
  runtimeChoices.find(([value]) => value === runtime)?.[1] ?? runtime;

/** What may happen to threads that wait when a new revision takes over. */
export const releaseChoices: readonly Choosable<ReleaseRule>[] = [
  ['warn', 'Warn', 'The deploy goes on, and its log names the threads that the new revision cannot resume.'],
  ['refuse', 'Refuse the release', 'The deploy fails before anything moves.'],
  ['pin', 'Keep them where they are', 'The old revision stays for them. Slipway’s agent server only.'],
  ['move', 'Move them', 'They go on in the new revision, whatever it has for them.'],
];
