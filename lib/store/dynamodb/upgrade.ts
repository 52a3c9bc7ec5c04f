import * as z from 'zod';

/** Makes an item of the version after its own; `v` is raised by who asks for it. */
export type Upgrade = (item: Record<string, unknown>) => Record<string, unknown>;

const versioned = z.object({ v: z.int().min(1) }).loose();

/**
 * Reads items of earlier versions of a shape as ones of its `newest`, which is version `upgrades.length + 1`:
 * the first upgrade makes a second version of a first one, and so on. What is of a later version, or none, is
 * left to the shape to refuse.
 */
export const alsoEarlier = <T extends z.ZodType>(newest: T, upgrades: readonly Upgrade[]) =>
  z.preprocess((item) => {
    const known = versioned.safeParse(item);
    if (!known.success) return item;
    return upgrades
      .slice(known.data.v - 1)
      .reduce<z.infer<typeof versioned>>(
        (older, upgrade) => ({ ...upgrade(older), v: older.v + 1 }),
        known.data,
      );
  }, newest);
