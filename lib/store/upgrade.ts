import * as z from 'zod';
import { lazy } from '../contract/lazy.ts';

const firstVersion = lazy(() => z.object({ v: z.literal(1) }).loose());

/** Reads an item of the first version as one of the second, where that one only has more optional attributes. */
export const alsoFirstVersion = <T extends z.ZodType>(second: T) =>
  z.preprocess((item) => {
    const known = firstVersion().safeParse(item);
    return known.success ? { ...known.data, v: 2 } : item;
  }, second);
