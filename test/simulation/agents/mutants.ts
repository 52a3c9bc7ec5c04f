import { GUARDS } from './model-rows.ts';
import { WORKER_RULES } from './worker.ts';

/** What the promises of the queue stand on, by name; each may be left out. */
export const rules: readonly string[] = [...GUARDS, ...WORKER_RULES];

/** The program of a pool's process. */
export const program = new URL('./run-jobs.ts', import.meta.url);
