import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  github,
  list,
  listeners,
  post,
  postRevision,
  register,
  remove,
  revisions,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Page = { resources: { id: string }[]; offset: number };
type Query = Record<string, string>;

/**
 * Every id that walking the pages gives, each page asked for with the offset that the one before it returned.
 */
async function walk(
  read: (query: Query) => Promise<Page>,
  limit: number,
  query: Query = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; ) {
    const page = await read({ ...query, limit: String(limit), offset: String(offset) });
    ids.push(...page.resources.map(({ id }) => id));
    expect(page.offset).toBe(offset + page.resources.length);
    // Short only at the end, which clients of the older kind take as the end.
    if (page.resources.length < limit) return ids;
    offset = page.offset;
  }
}

const limits = fc.integer({ min: 1, max: 7 });
const few = { numRuns: 12 };

describe('walking the pages by the returned offset', () => {
  it('gives each deployment exactly once, newest first, whatever was made and deleted before', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    let live: { id: string; name: string }[] = [];
    let made = 0;
    const steps = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('make') }, fc.nat(20)), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(steps, limits, async (changes, limit) => {
        for (const change of changes) {
          if (change === 'make') {
            made += 1;
            const name = `${made % 2 === 0 ? 'even' : 'odd'}-${made}`;
            const { id } = await post(world, github(name));
            live = [{ id, name }, ...live];
          } else if (live.length > 0) {
            const { id } = live[change % live.length] ?? { id: '' };
            await remove(world, id);
            live = live.filter((one) => one.id !== id);
          }
        }
        const read = (query: Query) => list(world, query);
        expect(await walk(read, limit)).toEqual(live.map(({ id }) => id));
        const even = live.filter(({ name }) => name.includes('even'));
        expect(await walk(read, limit, { name_contains: 'even' })).toEqual(even.map(({ id }) => id));
      }),
      few,
    );
  });

  it('gives each revision and each listener exactly once', async () => {
    const world = await aWorld();
    const { id } = await withRevisionsAndListeners(world);
    // Some, all of one kind, all of the other, and more than there is.
    for (const limit of [3, 11, 17, 20]) {
      const ofRevisions = await walk((query) => revisions(world, id, query), limit);
      expect(ofRevisions).toHaveLength(17);
      expect(ofRevisions).toEqual([...new Set(ofRevisions)].sort().reverse());
      const queued = await walk((query) => revisions(world, id, query), limit, { status: 'QUEUED' });
      expect(queued).toEqual(ofRevisions);
      const ofListeners = await walk((query) => listeners(world, query), limit);
      expect([ofListeners.length, new Set(ofListeners).size]).toEqual([11, 11]);
    }
  });
});

async function withRevisionsAndListeners(world: World): Promise<{ id: string }> {
  for (let number = 0; number < 11; number += 1) await register(world, `machine-${number}`);
  const { id } = await post(world, github('many'));
  for (let number = 1; number < 17; number += 1) await postRevision(world, id);
  return { id };
}
