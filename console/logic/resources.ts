import type { Listener } from '../../lib/client/endpoints.ts';

/** What of a `resource_spec` has fields of its own; the rest of it is edited as JSON. */
export const resourceFields = [
  { name: 'cpu', label: 'Processors', min: 0.1, step: 0.001, unit: 'CPU' },
  { name: 'cpu_limit', label: 'Processors at most', min: 0.1, step: 0.001, unit: 'CPU' },
  { name: 'memory_mb', label: 'Memory', min: 128, step: 128, unit: 'MB' },
  { name: 'memory_limit_mb', label: 'Memory at most', min: 128, step: 128, unit: 'MB' },
  { name: 'min_scale', label: 'Servers at least', min: 0, step: 1, unit: '' },
  { name: 'max_scale', label: 'Servers at most', min: 1, step: 1, unit: '' },
] as const;

export type ResourceName = (typeof resourceFields)[number]['name'];
/** As typed; empty: the installation's default. `more_resources` is a JSON object, or empty. */
export type Resources = Record<ResourceName | 'more_resources', string>;
type Spec = Readonly<Record<string, unknown>>;

const isShown = (key: string): boolean => resourceFields.some(({ name }) => name === key);

/** What the fields do not show, as JSON to be edited; '' where there is nothing. */
export function restOf(spec: Spec | null): string {
  const rest = Object.entries(spec ?? {}).filter(([key]) => !isShown(key));
  return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest), null, 2);
}

/** What is wrong with JSON that was typed; undefined: nothing. */
export function restProblem(typed: string): string | undefined {
  if (typed.trim() === '') return undefined;
  try {
    const read: unknown = JSON.parse(typed);
    const isObject = typeof read === 'object' && read !== null && !Array.isArray(read);
    return isObject ? undefined : 'This is no JSON object. Write it as { "labels": { "team": "support" } }.';
  } catch {
    return 'This is no JSON yet. Names and texts stand in double quotes, and nothing ends with a comma.';
  }
}

/** The whole that a PATCH replaces the stored spec with. Expects `more_resources` without a problem. */
export function specWith(edited: Resources): Record<string, unknown> {
  const rest: unknown = edited.more_resources.trim() === '' ? {} : JSON.parse(edited.more_resources);
  const given = resourceFields.flatMap(({ name }) =>
    edited[name].trim() === '' ? [] : [[name, Number(edited[name])] as const],
  );
  return Object.fromEntries([...entriesOf(rest).filter(([key]) => !isShown(key)), ...given]);
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

type Heeds = {
  /** What servers get where nothing is said. */
  usual: string;
  /** The fields that count there; null: all. */
  fields: readonly ResourceName[] | null;
  /** Why the others do not. */
  why: string;
};

const heeded: Record<Listener['compute_type'], Heeds> = {
  process: {
    usual: 'Servers share what the machine has.',
    fields: [],
    why: 'This listener runs the server as a process of its machine and sets no limits for it.',
  },
  k8s: { usual: 'The cluster’s own defaults.', fields: null, why: '' },
  ecs: {
    usual: '0.5 CPU and 1,024 MB, one server.',
    fields: ['cpu', 'memory_mb', 'min_scale', 'max_scale'],
    why: 'Fargate gives a server a fixed size, so there is no separate limit.',
  },
};
// A page that was loaded before an update may meet a type that it does not know.
const known: Partial<Record<string, Heeds>> = heeded;

/**
 * Why a field counts for nothing where the deployment runs; undefined: it counts, or nobody knows where that
 * is.
 */
export function unheededWhy(type: string | undefined, name: ResourceName): string | undefined {
  const found = type === undefined ? undefined : known[type];
  return found === undefined || found.fields === null || found.fields.includes(name) ? undefined : found.why;
}

/** Whether none of the fields counts there. */
export const heedsNothing = (type: string | undefined): boolean =>
  resourceFields.every(({ name }) => unheededWhy(type, name) !== undefined);

/** What a server gets there without any of them. */
export const usualResources = (type: string | undefined): string =>
  (type === undefined ? undefined : known[type]?.usual) ?? 'What the listener gives by default.';
