import * as z from 'zod';

type Check<T> = (value: T, ctx: z.RefinementCtx) => void;

/**
 * Takes what `shape` takes, and gives it as it came: an object of a client's own may have a key that zod
 * passes over, `__proto__`. So `shape` may judge members and not change them. `check` judges the whole object
 * when `shape` takes it. (It is no `superRefine` of the result, for of that documents would not know the
 * shape.)
 */
export function asGiven<S extends z.ZodType<object>>(
  shape: S,
  check: Check<z.output<S>> = () => undefined,
): z.ZodType<z.output<S>, z.input<S>> {
  const checked = z.unknown().superRefine((value, ctx) => {
    const { error } = shape.safeParse(value, { reportInput: true });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `shape` takes is of its type; what it gives may lack a key
    if (error === undefined) check(value as z.output<S>, ctx);
    for (const issue of error?.issues ?? []) ctx.addIssue({ ...issue, path: [...issue.path] });
  });
  const schema = z.nonoptional(checked);
  schema._zod.toJSONSchema = () => {
    // By its method: the function of the same name would bring the writers of all schemas into each bundle.
    const { $schema: _, ...written } = shape.toJSONSchema();
    return written;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it takes and gives the same, as `shape` does
  return schema as unknown as z.ZodType<z.output<S>, z.input<S>>;
}

/** An object of any keys. */
export const anyObject = (
  check?: Check<Record<string, unknown>>,
): z.ZodType<Record<string, unknown>, Record<string, unknown>> =>
  asGiven(z.record(z.string(), z.unknown()), check);
