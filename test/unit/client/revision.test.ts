import { expect, it } from 'vitest';
import type { Revision } from '../../../lib/client/endpoints.ts';
import { isEmptyFirst, numberOf } from '../../../lib/client/revision.ts';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import { revisionId } from '../../../lib/domain/revision-id.ts';
import { getRevision } from '../../../lib/features/revisions/routes.ts';

const DEPLOYMENT = '0190a000-0000-7000-8000-000000000001';
const example = getRevision.response.parse(exampleOf('getRevision').response);
const source = { ...example.source_revision_config, source_tarball_path: null, image_uri: null };
const empty: Revision = {
  ...example,
  id: revisionId(DEPLOYMENT, 1),
  status: 'SKIPPED',
  source: 'internal_source',
  source_revision_config: source,
};

it('the number of a revision is the end of its id', () => {
  for (const number of [1, 9, 10, 255, 4096]) expect(numberOf(revisionId(DEPLOYMENT, number))).toBe(number);
});

it('only the first revision of an upload that had nothing to build is empty', () => {
  expect(isEmptyFirst(empty)).toBe(true);
  expect(isEmptyFirst({ ...empty, source: 'internal_docker' })).toBe(true);
  const others: Partial<Revision>[] = [
    { id: revisionId(DEPLOYMENT, 2) },
    { status: 'DEPLOYED' },
    { status: 'INTERRUPTED' },
    { source: 'github' },
    { source: 'external_docker' },
    { source_revision_config: { ...source, source_tarball_path: 'a.tgz' } },
    { source_revision_config: { ...source, image_uri: 'registry.example/a:1' } },
  ];
  for (const other of others) expect([other, isEmptyFirst({ ...empty, ...other })]).toEqual([other, false]);
});
