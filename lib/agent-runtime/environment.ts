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
