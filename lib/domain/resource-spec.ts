import type { ResourceSpec } from '../contract/deployments/resource-spec.ts';
import type { ValidationItem } from '../contract/errors.ts';

/**
 * Bounds and defaults of the numbers in a `resource_spec`. There are no upper bounds: the capacity of the
 * cluster is the limit.
 */
export const CPU_MIN = 0.1;
export const MEMORY_STEP_MB = 128;
/** A thousandth of a processor is the finest share that Kubernetes knows. */
const CPU_DECIMALS = 3;

type Field = keyof ResourceSpec;
type Pair = { request: Field; limit: Field };

const pair = <R extends string>(request: R) => ({ request, limit: `${request}_limit` as const });
const memoryPair = <G extends string>(group: G) =>
  ({ request: `${group}memory_mb`, limit: `${group}memory_limit_mb` }) as const;

const cpuPairs = [
  pair('cpu'),
  pair('queue_cpu'),
  pair('redis_cpu'),
  pair('core_cpu'),
  pair('db_cpu'),
] as const;
const memoryPairs = [
  memoryPair(''),
  memoryPair('queue_'),
  memoryPair('redis_'),
  memoryPair('core_'),
  memoryPair('db_'),
] as const;
const scales = [
  { min: 'min_scale', max: 'max_scale' },
  { min: 'queue_min_scale', max: 'queue_max_scale' },
] as const;

/** Lowest value of each field that has one. */
const minimums: Partial<Record<Field, number>> = {
  ...Object.fromEntries(
    cpuPairs.flatMap(({ request, limit }) => [request, limit]).map((field) => [field, CPU_MIN]),
  ),
  ...Object.fromEntries(
    memoryPairs.flatMap(({ request, limit }) => [request, limit]).map((field) => [field, MEMORY_STEP_MB]),
  ),
  min_scale: 0,
  queue_min_scale: 0,
  max_scale: 1,
  queue_max_scale: 1,
  db_storage_gi: 1,
  db_max_connections: 1,
};

type Loc = ValidationItem['loc'];
const DEFAULT_LOC: Loc = ['body', 'source_config', 'resource_spec'];

/** A spec as it came, or as it was stored: whatever is no number is not ours to judge. */
type Given = Readonly<Record<string, unknown>>;

/** To thousandths, exactly: through the decimal text, not through a division. */
const toThousandths = (cpu: number): number => Number(cpu.toFixed(CPU_DECIMALS));

const numberIn = (spec: Given, field: string): number | undefined => {
  const value = spec[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

const atLeast = (loc: Loc, input: number, ge: number): ValidationItem => ({
  loc,
  msg: `Input should be greater than or equal to ${ge}`,
  type: 'greater_than_equal',
  input,
  ctx: { ge },
});

function checkMinimums(spec: Given, loc: Loc): ValidationItem[] {
  return Object.entries(minimums).flatMap(([field, minimum]) => {
    const value = numberIn(spec, field);
    return value !== undefined && value < minimum ? [atLeast([...loc, field], value, minimum)] : [];
  });
}

function checkDecimals(spec: Given, loc: Loc): ValidationItem[] {
  return cpuPairs
    .flatMap(({ request, limit }) => [request, limit])
    .flatMap((field) => {
      const value = numberIn(spec, field);
      if (value === undefined || toThousandths(value) === value) return [];
      return [
        {
          loc: [...loc, field],
          msg: `Decimal input should have no more than ${CPU_DECIMALS} decimal places`,
          type: 'decimal_max_places',
          input: value,
          ctx: { decimal_places: CPU_DECIMALS },
        },
      ];
    });
}

function checkSteps(spec: Given, loc: Loc): ValidationItem[] {
  return memoryPairs
    .flatMap(({ request, limit }) => [request, limit])
    .flatMap((field) => {
      const value = numberIn(spec, field);
      if (value === undefined || value % MEMORY_STEP_MB === 0) return [];
      return [
        {
          loc: [...loc, field],
          msg: `Input should be a multiple of ${MEMORY_STEP_MB}`,
          type: 'multiple_of',
          input: value,
          ctx: { multiple_of: MEMORY_STEP_MB },
        },
      ];
    });
}

function checkOrder(spec: Given, loc: Loc): ValidationItem[] {
  const ordered = [
    ...[...cpuPairs, ...memoryPairs].map(({ request, limit }) => ({ low: request, high: limit })),
    ...scales.map(({ min, max }) => ({ low: min, high: max })),
  ];
  return ordered.flatMap(({ low, high }) => {
    const [lowValue, highValue] = [numberIn(spec, low), numberIn(spec, high)];
    if (lowValue === undefined || highValue === undefined || highValue >= lowValue) return [];
    return [{ ...atLeast([...loc, high], highValue, lowValue), ctx: { ge: lowValue, field: low } }];
  });
}

/**
 * Everything that is wrong with the numbers of a spec, one item a field, under `loc`. Values that are no
 * numbers are passed over: their shape is another's to judge, so that both kinds of problems can be told at
 * once.
 */
export function checkResourceSpec(spec: Given, loc: Loc = DEFAULT_LOC): ValidationItem[] {
  const checks = [checkMinimums, checkDecimals, checkSteps, checkOrder];
  const items = checks.flatMap((check) => check(spec, loc));
  const firstOfField = new Map<unknown, ValidationItem>();
  for (const item of items) {
    const field = item.loc.at(-1);
    if (!firstOfField.has(field)) firstOfField.set(field, item);
  }
  return [...firstOfField.values()];
}

const halfMemory = (mb: number): number =>
  Math.max(MEMORY_STEP_MB, Math.floor(mb / 2 / MEMORY_STEP_MB) * MEMORY_STEP_MB);
const halfCpu = (cpu: number): number => Math.max(CPU_MIN, toThousandths(cpu / 2));

/** Fills in the missing half of a request and its limit; nothing when neither is given. */
function resolvePair(
  spec: Given,
  { request, limit }: Pair,
  rule: { half: (limit: number) => number; factor: number; round: (value: number) => number },
): Given {
  const [requested, limited] = [numberIn(spec, request), numberIn(spec, limit)];
  if (requested === undefined && limited === undefined) return {};
  const low = requested ?? rule.half(limited ?? 0);
  return { [request]: rule.round(low), [limit]: rule.round(limited ?? low * rule.factor) };
}

/**
 * A queue's pair is the main one's when neither of its two is given: half of it could contradict the other
 * half.
 */
function inheritPair(spec: Given, main: readonly [Field, Field], queue: readonly [Field, Field]): Given {
  if (queue.some((field) => spec[field] !== undefined)) return {};
  const inherited = queue.map((field, index) => [field, spec[main[index] ?? field]] as const);
  return Object.fromEntries(inherited.filter(([, value]) => value !== undefined));
}

/**
 * The spec with what it leaves out filled in: limits twice the request, the request half of a lone limit,
 * redis memory limit equal to the request, the queue's values from the main ones. Expects a spec without
 * problems, gives one without problems, and changes nothing when applied again; shares of a processor that
 * were stored when finer ones were taken are rounded to thousandths.
 */
export function resolveResourceSpec(spec: Given): Given {
  let resolved: Given = { ...spec };
  const fill = (part: Given) => {
    resolved = { ...resolved, ...part };
  };
  for (const fields of cpuPairs)
    fill(resolvePair(spec, fields, { half: halfCpu, factor: 2, round: toThousandths }));
  for (const fields of memoryPairs) {
    const factor = fields.request === 'redis_memory_mb' ? 1 : 2;
    fill(resolvePair(spec, fields, { half: halfMemory, factor, round: (mb) => mb }));
  }
  fill(inheritPair(resolved, ['cpu', 'cpu_limit'], ['queue_cpu', 'queue_cpu_limit']));
  fill(inheritPair(resolved, ['memory_mb', 'memory_limit_mb'], ['queue_memory_mb', 'queue_memory_limit_mb']));
  fill(inheritPair(resolved, ['min_scale', 'max_scale'], ['queue_min_scale', 'queue_max_scale']));
  return resolved;
}

const member = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === field)?.[1]
    : undefined;

/** Checks the `resource_spec` of a request body as it came, whatever else is wrong with the body. */
export function checkBodyResourceSpec(body: unknown): ValidationItem[] {
  const spec = member(member(body, 'source_config'), 'resource_spec');
  return typeof spec === 'object' && spec !== null ? checkResourceSpec({ ...spec }) : [];
}
