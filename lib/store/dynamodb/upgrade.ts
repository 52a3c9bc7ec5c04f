import * as z from 'zod';

/** Makes an item of the version after its own; `v` is raised by who asks for it. */
export type Upgrade = (item: Record<string, unknown>) => Record<string, unknown>;

const versioned = z.object({ v: z.int().min(1) }).loose();

/**
 * Reads items of earlier versions of a shape as ones of its newest, which is `version`. `upgrades`, by the
 * version that they are given: what is not there needs none, for the version after it only may have more.
 * What is of a later version, or none, is left to the shape to refuse.
 */
export const alsoEarlier = <T extends z.ZodType>(
  newest: T,
  version: number,
  upgrades: Readonly<Partial<Record<number, Upgrade>>> = {},
) =>
  z.preprocess((item) => {
    const known = versioned.safeParse(item);
    if (!known.success) return item;
    let upgraded = known.data;
    for (let { v } = upgraded; v < version; v++)
      upgraded = { ...(upgrades[v]?.(upgraded) ?? upgraded), v: v + 1 };
    return upgraded;
  }, newest);
