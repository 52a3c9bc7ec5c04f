import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  container,
  resourceSpec,
  volume,
  volumeMount,
} from '../../../../lib/contract/deployments/resource-spec.ts';
import { withGeneratedPart } from '../../../support/files/generated-part.ts';
import { fieldCases } from '../../../support/kubernetes/field-cases.ts';
import { placesOf, placesTable } from '../../../support/kubernetes/places.ts';

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
