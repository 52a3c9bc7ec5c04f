import { expect, test } from 'vitest';
import { countsOf } from '../../../../lib/compute/process/waiting-threads.ts';

const row = (build_id: string, revision_id: string, waiting: number, oldest_at: string | null = null) => ({
  build_id,
  revision_id,
  runs: 1,
  waiting,
  oldest_at,
});
const serving = { own: 'b', revisionId: 'two' };

test('threads of the build that serves are those of the revision that serves, since when the first one waits', () => {
  const counts = countsOf(
    [
      row('a', 'one', 3, '2026-11-26T12:00:00.123456+00:00'),
      row('b', 'redeployed', 1, '2026-11-26T10:00:00.5+00:00'),
      row('b', 'two', 4, '2026-11-26T11:00:00+00:00'),
    ],
    serving,
  );
  expect(counts).toEqual([
    { revision_id: 'two', runs: 2, waiting: 5, oldest_at: '2026-11-26T10:00:00.500Z' },
    { revision_id: 'one', runs: 1, waiting: 3, oldest_at: '2026-11-26T12:00:00.123Z' },
  ]);
});

test('a report names so many revisions, those with most threads that wait', () => {
  const rows = Array.from({ length: 60 }, (_, n) => row(`build-${n}`, `revision-${n}`, n));
  const counts = countsOf(rows, serving);
  expect(counts).toHaveLength(50);
  expect(counts.at(0)).toMatchObject({ revision_id: 'revision-59' });
  expect(counts.at(-1)).toMatchObject({ revision_id: 'revision-10', oldest_at: null });
});
