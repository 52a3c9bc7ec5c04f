import type * as z from 'zod';
import { restored } from './free-keys.ts';

type Stored = Record<string, unknown>;

/** An item is stored in a version of its shape that this release does not read. */
export class UnknownVersion extends Error {
  constructor({ entity, v }: Stored) {
    super(
      `The table holds an item '${String(entity)}' of version ${String(v)}, which this release of Slipway does not read: another release wrote it. Run that release, or begin with a new table.`,
    );
    this.name = 'UnknownVersion';
  }
}

/**
 * A stored item as its shape says. Throws UnknownVersion for one of another version, and zod's error for what
 * does not fit otherwise.
 */
export function readItem<T extends z.ZodType>(schema: T, item: Stored): z.output<T> {
  const parsed = schema.safeParse(restored(item));
  if (parsed.success) return parsed.data;
  const isOtherVersion = typeof item.v === 'number' && parsed.error.issues.some(isAboutVersion);
  throw isOtherVersion ? new UnknownVersion(item) : parsed.error;
}

const isAboutVersion = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_union' ? issue.errors.flat().some(isAboutVersion) : issue.path.join() === 'v';
