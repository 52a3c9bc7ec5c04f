import { parentPort } from 'node:worker_threads';

/** Hears what a reader of output is told, and never answers. */
parentPort?.on('message', () => undefined);
