/** What Kubernetes would refuse: the field, and why. */
export type Problem = { field: string; reason: string };

/** A problem of a field if there is a reason for one. */
export const problem = (field: string, reason: string | undefined): Problem[] =>
  reason === undefined ? [] : [{ field, reason }];

/** Each name that an earlier one of the list has. */
export function repeated(fields: readonly (readonly [field: string, name: string | undefined])[]): Problem[] {
  const first = new Map<string, string>();
  return fields.flatMap(([field, name]) => {
    if (name === undefined) return [];
    const before = first.get(name);
    if (before === undefined) first.set(name, field);
    return problem(field, before === undefined ? undefined : `${JSON.stringify(name)} is ${before} too`);
  });
}

/** A value that is none of those there are. */
export const outside = (field: string, value: string | undefined, values: readonly string[]): Problem[] =>
  problem(
    field,
    value === undefined || values.includes(value)
      ? undefined
      : `${JSON.stringify(value)} is none of ${values.join(', ')}`,
  );
