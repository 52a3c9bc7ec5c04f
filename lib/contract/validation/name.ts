import * as z from 'zod';

const NAME_LENGTH_MAX = 128;

/** What a person calls something that they make. */
export const resourceName = z
  .string()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .regex(/^\P{Cc}+$/u, 'a name contains no control characters');
