import type { StreamFilter } from '../../../lib/store/stream-filters.ts';

/** Items of these kinds, as they are after a change, or as they were before they were removed. */
export const filtersOf = (entities: readonly string[]): StreamFilter[] => [
  { image: 'NewImage', entities },
  { on: ['REMOVE'], image: 'OldImage', entities },
];
