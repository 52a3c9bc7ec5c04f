import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { labels } from '../../../../lib/compute/kubernetes/render/names.ts';
import {
  container,
  resourceSpec,
  volume,
  volumeMount,
} from '../../../../lib/contract/deployments/resource-spec.ts';
import { kubernetesConfig } from '../../../../lib/contract/kubernetes-config.ts';
import { withGeneratedPart } from '../../../support/files/generated-part.ts';
import { allObjects } from '../../../support/kubernetes/all-objects.ts';
import { type FieldCase, fieldCases } from '../../../support/kubernetes/field-cases.ts';
import { renderContext, serverSpec } from '../../../support/kubernetes/specs.ts';

const context = renderContext({ computeConfig: kubernetesConfig.parse({ gateway: { name: 'public' } }) });

/** An element of a list by its name, if it has one. */
function elementName(element: unknown): string {
  const name = typeof element === 'object' && element !== null && 'name' in element ? element.name : '';
  return String(name);
}

type Leaf = [path: string, value: unknown];

/** Every value in an object by its path, such as `spec.containers[server].image`. */
function leavesOf(value: unknown, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [[path, value]];
  if (Array.isArray(value))
    return value.flatMap((element) => leavesOf(element, `${path}[${elementName(element)}]`));
  return Object.entries(value).flatMap(([key, member]) => {
    const step = /^[\w-]+$/.test(key) ? `.${key}` : `[${key}]`;
    return leavesOf(member, path === '' ? key : `${path}${step}`);
  });
}

/** The leaves of all objects of a spec, with the set's key as a word. */
function rendered(spec: FieldCase['having']): Set<string> {
  const objects = allObjects(serverSpec(spec), context);
  const key = objects.get('Secret')?.metadata?.labels?.[labels.set] ?? '';
  const leaves = [...objects].flatMap(([name, object]) =>
    leavesOf(object).map(([path, value]) => JSON.stringify([name, path, value])),
  );
  return new Set(leaves.map((leaf) => leaf.replaceAll(key, '<key>')));
}

type Place = { object: string; path: string; value: unknown };

/** Where a field lands: the values that are there with it and not without. */
function placesOf({ without, having, shown }: FieldCase): Place[] {
  const before = rendered(without);
  return [...rendered(having)]
    .filter((leaf) => !before.has(leaf))
    .map((leaf) => {
      const [object, path, value] = JSON.parse(leaf) as [string, string, unknown];
      return { object, path, value };
    })
    .filter(({ path }) => shown === undefined || shown.test(path));
}

const CONTAINERS = ['server', 'queue', 'redis', 'postgres'];

/**
 * A path as the page shows it: `pod` for the pod template's spec, elements without the names of examples, a
 * variable as a whole.
 */
function shownPath(path: string): string {
  const whole = path.replace(/(\.env\[[^\]]*\]).*/, '$1').replace(/\.(marker|team|note)$/, '');
  const named = whole.replaceAll(/\[([^\]]*)\]/g, (brackets, name: string) =>
    CONTAINERS.includes(name) || name.includes('/') ? brackets : '[]',
  );
  return `\`${named.replace(/^spec\.template\.spec\./, 'pod.')}\``;
}

/** The row of a field in docs/kubernetes.md. What both Deployments have is said once. */
function rowOf(each: FieldCase): string {
  const pathsOf = Map.groupBy(placesOf(each), ({ object }) => object);
  const placed = [...pathsOf].map(([object, places]): [string, string] => {
    const paths = new Set(places.map(({ path }) => shownPath(path)));
    return [object, [...paths].join(', ')];
  });
  const cells = [...Map.groupBy(placed, ([, paths]) => paths)].map(
    ([paths, sharing]) => `${sharing.map(([object]) => object).join(' and ')}: ${paths}`,
  );
  return `| \`${each.field}\` | ${cells.join('<br>')} |`;
}

/** The table of docs/kubernetes.md. */
const placesTable = (cases: readonly FieldCase[]): string =>
  ['| Field | Object and place |', '|---|---|', ...cases.map(rowOf)].join('\n');

const file = new URL('../../../../docs/kubernetes.md', import.meta.url);

/** Made once: it renders everything for each field. */
const table = placesTable(fieldCases);
const withTable = (text: string): string => withGeneratedPart(text, 'fields in Kubernetes', table);

it('the fields in docs/kubernetes.md land where they are rendered; `npm run docs` writes them', () => {
  const text = readFileSync(file, 'utf8');
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(file, withTable(text));
  expect(readFileSync(file, 'utf8')).toBe(withTable(text));
});

it.each(fieldCases)('$field lands somewhere', (each) => {
  expect(placesOf(each)).not.toEqual([]);
});

it('and there is none without a case', () => {
  const elements = [
    ['volumes', Object.keys(volume.out.in.shape)],
    ['volume_mounts', Object.keys(volumeMount.out.in.shape)],
    ['init_containers', Object.keys(container.out.in.shape)],
    ['sidecars', Object.keys(container.out.in.shape)],
  ] as const;
  const lists = elements.map(([list]): string => list);
  const plain = Object.keys(resourceSpec.in.shape).filter((field) => !lists.includes(field));
  const fields = [...plain, ...elements.flatMap(([list, names]) => names.map((name) => `${list}[].${name}`))];
  const covered = fieldCases.map(({ field }) => field.replace('resource_spec.', ''));
  expect(fields.filter((field) => !covered.includes(field))).toEqual([]);
});
