import { describe, it } from 'vitest';
import { rows, survives } from './crash-rows.ts';

describe('kill -9 of the whole process group of the program', () => {
  it.each(rows)(
    'at $status loses nothing, and the next start moves everything on',
    (row) => survives(row, 'killGroup'),
    90_000,
  );
});
