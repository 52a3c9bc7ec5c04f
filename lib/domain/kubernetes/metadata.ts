import type { ResourceSpec } from '../../contract/deployments/resource-spec.ts';
import { labels } from './labels.ts';
import { type Problem, problem } from './problem.ts';
import { labelValue, qualifiedName } from './syntax.ts';

const OWN_PREFIX = 'slipway.dev/';
const POD_SECURITY_PREFIX = 'pod-security.kubernetes.io/';
const ownKeys: ReadonlySet<string> = new Set(Object.values(labels));
const ANNOTATIONS_SIZE_BYTES_MAX = 256 * 1024;

const isOwn = (key: string): boolean => key.startsWith(OWN_PREFIX) || ownKeys.has(key);

const textProblem = (value: unknown): string | undefined =>
  typeof value === 'string' ? undefined : `${JSON.stringify(value)} is no text: put it in quotes`;

type Rules = { key: (key: string) => string | undefined; value?: (value: string) => string | undefined };

function entryProblem(key: string, value: unknown, rules: Rules): string | undefined {
  if (isOwn(key)) return 'Slipway sets this key itself: choose another one';
  if (key.startsWith(POD_SECURITY_PREFIX))
    return "such a key is of a namespace and means nothing here: what is allowed is the listener's pod_security";
  return (
    rules.key(key) ?? textProblem(value) ?? (typeof value === 'string' ? rules.value?.(value) : undefined)
  );
}

const entriesProblems = (
  field: string,
  given: Record<string, unknown> | undefined,
  rules: Rules,
): Problem[] =>
  Object.entries(given ?? {}).flatMap(([key, value]) =>
    problem(`${field}[${JSON.stringify(key)}]`, entryProblem(key, value, rules)),
  );

const labelRules = { key: qualifiedName, value: labelValue };
/** Kubernetes takes capitals in the keys of annotations alone. */
const annotationRules = { key: (key: string) => qualifiedName(key.toLowerCase()) };

export function metadataProblems({ labels: given, annotations }: ResourceSpec): Problem[] {
  const sizeBytes = Buffer.byteLength(
    Object.entries(annotations ?? {})
      .flat()
      .join(''),
  );
  return [
    ...entriesProblems('resource_spec.labels', given, labelRules),
    ...entriesProblems('resource_spec.annotations', annotations, annotationRules),
    ...problem(
      'resource_spec.annotations',
      sizeBytes > ANNOTATIONS_SIZE_BYTES_MAX ? 'annotations have at most 256 KiB in all' : undefined,
    ),
  ];
}
