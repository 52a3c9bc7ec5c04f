/**
 * Data folders that earlier releases have written, with one of each item that they store. A later release
 * reads them all: what an upgrade forgets is found here.
 *
 * They were made by driving the program over HTTP, with what only an account stores put beside it, and by
 * killing it in the middle of a build. `run.json` is left out: it names processes of another machine.
 */
export const earlierData = [
  {
    of: 'the program of 2026-11-25 (39e5ef8)',
    archive: new URL('../data-folders/2026-11-25.tar.gz', import.meta.url),
    /** Entities with their versions. */
    kinds: 62,
  },
] as const;
