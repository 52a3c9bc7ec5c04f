import type { ResourceSpec } from '../../../../../contract/deployments/resource-spec.ts';
import { labels } from '../names.ts';
import { type Problem, problem } from './problem.ts';
import { labelValue, qualifiedName } from './syntax.ts';

const OWN_PREFIX = 'slipway.dev/';
const ownKeys: ReadonlySet<string> = new Set(Object.values(labels));
const ANNOTATIONS_SIZE_BYTES_MAX = 256 * 1024;

const isOwn = (key: string): boolean => key.startsWith(OWN_PREFIX) || ownKeys.has(key);

function keyProblem(key: string): string | undefined {
  return isOwn(key) ? 'Slipway sets this key itself: choose another one' : qualifiedName(key);
}

const textProblem = (value: unknown): string | undefined =>
  typeof value === 'string' ? undefined : `${JSON.stringify(value)} is no text: put it in quotes`;

function entriesProblems(
  field: string,
  given: Record<string, unknown> | undefined,
  valueProblem: (value: string) => string | undefined,
): Problem[] {
  return Object.entries(given ?? {}).flatMap(([key, value]) => {
    const place = `${field}[${JSON.stringify(key)}]`;
    const reason = keyProblem(key) ?? textProblem(value);
    return problem(place, reason ?? (typeof value === 'string' ? valueProblem(value) : undefined));
  });
}

export function metadataProblems({ labels: given, annotations }: ResourceSpec): Problem[] {
  const sizeBytes = Buffer.byteLength(
    Object.entries(annotations ?? {})
      .flat()
      .join(''),
  );
  return [
    ...entriesProblems('resource_spec.labels', given, labelValue),
    ...entriesProblems('resource_spec.annotations', annotations, () => undefined),
    ...problem(
      'resource_spec.annotations',
      sizeBytes > ANNOTATIONS_SIZE_BYTES_MAX ? 'annotations have at most 256 KiB in all' : undefined,
    ),
  ];
}
