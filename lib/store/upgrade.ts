import * as z from 'zod';

const firstVersion = z.object({ v: z.literal(1) }).loose();

const earlier = z.object({ v: z.union([z.literal(1), z.literal(2)]) }).loose();

/** Reads a deployment's list row of an earlier version, which does not tell how healthy that is, as one of the third. */
export const alsoEarlierRows = <T extends z.ZodType>(third: T) =>
  z.preprocess((item) => {
    const known = earlier.safeParse(item);
    return known.success ? { ...known.data, v: 3, health: 'unknown' } : item;
  }, third);

/** Reads an item of the first version as one of the second, which has more optional attributes, or fewer of those that it had. */
export const alsoFirstVersion = <T extends z.ZodType>(second: T) =>
  z.preprocess((item) => {
    const known = firstVersion.safeParse(item);
    return known.success ? { ...known.data, v: 2 } : item;
  }, second);

/** Reads an item of the first or second version as one of the third, which has more optional attributes, or fewer of those that they had. */
export const alsoFirstTwoVersions = <T extends z.ZodType>(third: T) =>
  z.preprocess((item) => {
    const known = earlier.safeParse(item);
    return known.success ? { ...known.data, v: 3 } : item;
  }, third);
