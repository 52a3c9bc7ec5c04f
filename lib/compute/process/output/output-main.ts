import { parentPort, workerData } from 'node:worker_threads';
import { followTimestamps } from '../../../processes/timestamps.ts';
import type { FromReader, ToReader } from './messages.ts';
import { OutputReading } from './reading.ts';
import { Turns } from './turns.ts';

/** What the thread is started with. */
export type OutputThreadData = { timestamps: SharedArrayBuffer };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as output-thread.ts gives it
followTimestamps((workerData as OutputThreadData).timestamps);
const tell = (message: FromReader): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- another thread has none
  parentPort?.postMessage(message);
};
const reading = new OutputReading(tell);
const turns = new Turns((message) => reading.hear(message));
parentPort?.on('message', (message: ToReader) => turns.hear(message));
