import { parentPort } from 'node:worker_threads';

/** Reads output as listeners do, and crashes at these words, whoever prints them. */
const CRASHES = 'crash of the reader';

type Heard = Event & { data: { kind: string; bytes?: Uint8Array } };

parentPort?.addEventListener('message', (event) => {
  const { kind, bytes } = (event as Heard).data; // as the listener's thread sends it
  if (kind !== 'bytes' || !Buffer.from(bytes ?? []).includes(CRASHES)) return;
  event.stopImmediatePropagation();
  throw new TypeError('with what was read in it');
});
await import('../../../lib/compute/process/output/output-main.ts');
