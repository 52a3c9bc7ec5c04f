/**
 * Every schedule of the installation, by the name of its function: how often it runs, and what a run that
 * finds nothing is billed for (milliseconds at 512 MB). A test compares it with the stacks.
 */
export const schedules = {
  sweep: { everySeconds: 60, milliseconds: 100 },
  revocations: { everySeconds: 60, milliseconds: 50 },
  heads: { everySeconds: 300, milliseconds: 50 },
} as const;
export type ScheduleName = keyof typeof schedules;
