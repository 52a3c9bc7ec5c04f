/** What of a `resource_spec` is edited in fields; the rest of it stays as it is stored. */
export const resourceFields = [
  { name: 'cpu', label: 'Processors', min: 0.1, step: 0.001 },
  { name: 'cpu_limit', label: 'Processors at most', min: 0.1, step: 0.001 },
  { name: 'memory_mb', label: 'Memory in MB', min: 128, step: 128 },
  { name: 'memory_limit_mb', label: 'Memory at most, in MB', min: 128, step: 128 },
  { name: 'min_scale', label: 'Instances at least', min: 0, step: 1 },
  { name: 'max_scale', label: 'Instances at most', min: 1, step: 1 },
] as const;

export type ResourceName = (typeof resourceFields)[number]['name'];
/** As typed; empty: the installation's default. */
export type Resources = Record<ResourceName, string>;
type Spec = Readonly<Record<string, unknown>>;

const each = (textOf: (name: ResourceName) => string): Resources => ({
  cpu: textOf('cpu'),
  cpu_limit: textOf('cpu_limit'),
  memory_mb: textOf('memory_mb'),
  memory_limit_mb: textOf('memory_limit_mb'),
  min_scale: textOf('min_scale'),
  max_scale: textOf('max_scale'),
});

export const resourcesOf = (spec: Spec | null): Resources =>
  each((name) => {
    const value = spec?.[name];
    return typeof value === 'number' ? String(value) : '';
  });

export const isSameResources = (one: Resources, other: Resources): boolean =>
  resourceFields.every(({ name }) => one[name].trim() === other[name].trim());

/** The whole that a PATCH replaces the stored spec with: what the fields say, and all that they do not show. */
export function specWith(stored: Spec | null, edited: Resources): Record<string, unknown> {
  const rest = Object.entries(stored ?? {}).filter(
    ([key]) => !resourceFields.some(({ name }) => name === key),
  );
  const given = resourceFields.flatMap(({ name }) =>
    edited[name].trim() === '' ? [] : [[name, Number(edited[name])] as const],
  );
  return Object.fromEntries([...rest, ...given]);
}

/** Own edits on what somebody else has stored meanwhile. */
export const mergedResources = (own: Resources, before: Resources, now: Resources): Resources =>
  each((name) => (own[name] === before[name] ? now[name] : own[name]));
