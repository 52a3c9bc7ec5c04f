import * as z from 'zod';

/** The context of `cdk.json`, each with its default; `-c name=value` on the command line wins. */
const settings = z.object({
  /** Part of every name, so that several installations fit in one account. */
  environment: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,15}$/)
    .default('prod'),
  /** `destroy` deletes all data with the stack; anything else keeps it. */
  removal: z.enum(['retain', 'destroy']).default('retain'),
  /** Sustained requests a second for the whole API, and what may come at once. */
  rateLimit: z.coerce.number().int().positive().default(100),
  burstLimit: z.coerce.number().int().positive().default(200),
  logRetentionDays: z.coerce.number().int().positive().default(30),
  /** A DEPLOY task that no listener claims, and a listener that goes silent, fail a revision after so many seconds. */
  unclaimedSeconds: z.coerce.number().int().positive().default(900),
  silentSeconds: z.coerce.number().int().positive().default(900),
  /** A build may take so long, waiting included; what it pushes with is good for an hour. */
  buildSeconds: z.coerce.number().int().min(300).max(3600).default(1800),
  /** Gets mail from alarms. */
  alarmEmail: z.email().optional(),
  /** An address of one's own, with its certificate in this region. */
  domainName: z.string().optional(),
  certificateArn: z.string().startsWith('arn:').optional(),
});
export type Settings = z.output<typeof settings>;

/** Reads the settings; throws an error that names each wrong one. */
export function readSettings(context: (name: string) => unknown): Settings {
  const given = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, context(name)]));
  const parsed = settings.safeParse(given);
  if (!parsed.success) throw new Error(`cdk.json context: ${z.prettifyError(parsed.error)}`);
  const { domainName, certificateArn } = parsed.data;
  if ((domainName === undefined) !== (certificateArn === undefined))
    throw new Error('cdk.json context: domainName and certificateArn go together');
  return parsed.data;
}
