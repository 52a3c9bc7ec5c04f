import * as z from 'zod';

const count = (least: number, most: number, otherwise: number) =>
  z.preprocess(
    (text) => (text === undefined || text === '' ? otherwise : Number(text)),
    z.int().min(least).max(most),
  );

const variables = z.object({
  DATABASE_URI: z.string().min(1),
  HOST: z.string().default('127.0.0.1'),
  PORT: count(0, 65_535, 8_000),
  SLIPWAY_REVISION_ID: z.string().min(1),
  SLIPWAY_BUILD_ID: z.string().min(1),
  N_JOBS_PER_WORKER: count(1, 1_000, 10),
  BG_JOB_TIMEOUT_SECS: count(1, 2_592_000, 3_600),
  /** Where the package of the worker is that the artifact was built with; this program's own if it has none. */
  SLIPWAY_WORKER_FOLDER: z.string().min(1).optional(),
  /** Whoever knows it may ask and tell the server what is nobody else's; without it nobody may. */
  SLIPWAY_INTERNAL_TOKEN: z.string().min(16).optional(),
});

export type Environment = z.infer<typeof variables>;

/** What the program is told by who starts it. Throws with the names of variables that are missing or wrong. */
export function environmentOf(source: Readonly<Record<string, string | undefined>>): Environment {
  const checked = variables.safeParse(source);
  if (checked.success) return checked.data;
  throw new Error(
    checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
  );
}
