import { PENDING } from '../../domain/file-places.ts';
import type { Log } from '../../listener/log.ts';
import type { RuntimeSettings } from '../environment.ts';
import { startSchedule } from '../schedules.ts';
import type { Stream } from '../stream/open.ts';
import type { EmbeddedDeps } from './adapters.ts';
import type { Database } from './database.ts';
import { headsHandler, revocationsHandler, sweepHandler } from './handlers.ts';
import type { Ownership } from './ownership.ts';

/** Stream records are few and small; a look a minute keeps thousands, not millions. */
const TRIM_SECONDS = 60;
/** What a client uploaded and no request has named goes after a day, as on AWS. */
const PENDING_MILLISECONDS = 86_400_000;
const EXPIRE_SECONDS = 3600;
/** As on AWS. */
const REVOCATIONS_SECONDS = 60;

type Parts = {
  settings: RuntimeSettings;
  log: Log;
  stream: Stream;
  database: Database & { ownership: Ownership };
  deps: EmbeddedDeps;
  opened: AsyncDisposableStack;
};

/** Starts everything that is done at intervals. It ends with `opened`. */
export async function openSchedules({ settings, log, stream, database, deps, opened }: Parts): Promise<void> {
  const begin = (what: string, everySeconds: number, run: (first: boolean) => Promise<unknown>) => {
    const schedule = startSchedule({
      everySeconds,
      run: async (first) => void (await run(first)),
      onError: (error) => log.error(`${what}: ${String(error)}`),
    });
    opened.defer(() => schedule.close());
  };
  /** What writes to the table: not while another program has it. */
  const beginOwned: typeof begin = (what, everySeconds, run) =>
    begin(what, everySeconds, async (first) => {
      if (database.ownership.holds()) await run(first);
    });
  const sweep = await sweepHandler(() => deps);
  // What ran in the process before us runs no more: at the start everything in flight is looked at.
  beginOwned('sweep', settings.sweepSeconds, (first) => sweep({ all: first }));
  const revocations = await revocationsHandler(() => deps);
  beginOwned('revocations', REVOCATIONS_SECONDS, () => revocations({ all: false }));
  const heads = await headsHandler(() => deps);
  beginOwned('heads', settings.headsSeconds, () => heads({ all: true }));
  begin('trimming the stream', TRIM_SECONDS, async () => {
    const handledTo = stream.position()?.sequence_number;
    if (handledTo !== undefined) await database.trim(handledTo);
  });
  begin('removing uploads that nobody named', EXPIRE_SECONDS, () =>
    deps.blobs.expireBelow(PENDING, PENDING_MILLISECONDS),
  );
}
