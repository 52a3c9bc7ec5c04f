import { afterAll, describe, expect, it } from 'vitest';
import { endLeft, rows, survives } from './crash-rows.ts';

afterAll(async () => {
  expect(await endLeft()).toEqual([]);
}, 60_000);

describe('kill -9 of the whole process group of the program', () => {
  it.each(rows)(
    'at $status loses nothing, and the next start moves everything on',
    async (row) => {
      expect(await survives(row, 'killGroup')).toBe(row.ends);
    },
    90_000,
  );
});
