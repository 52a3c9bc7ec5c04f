import { describe, expect, it } from 'vitest';
import { routes } from '../../lib/contract/routes/index.ts';
import { bodySchemaOf, type Place, placesOf, sampleOf, withValue } from '../support/openapi/sample.ts';

const bodies = routes.flatMap((row) => (row.body === undefined ? [] : [{ ...row, body: row.body }]));

/** The fields of a body that a request may leave out, wherever they are in it. */
const optionalPlaces = (places: readonly Place[]): Place[] => places.filter(({ isOptional }) => isOptional);

describe.each(bodies.map((row) => [row.operation, row] as const))('null in a body of %s', (_, row) => {
  const schema = bodySchemaOf(row);
  const sample = sampleOf(schema);
  const told = (body: unknown) => {
    const { success, data, error } = row.body.safeParse(body);
    return success ? data : error?.issues.map(({ path, message }) => [path, message]);
  };

  it('is as good as absent, unless the description says what it does', () => {
    const others = optionalPlaces(placesOf(schema)).filter(({ path, words }) => {
      const [empty, absent] = [withValue(sample, path, null), withValue(sample, path, undefined)];
      return !/\bnull\b/i.test(words) && JSON.stringify(told(empty)) !== JSON.stringify(told(absent));
    });
    expect(others.map(({ path }) => path.join('.'))).toEqual([]);
  });

  it('is what the description allows in each field that may be left out', () => {
    const silent = optionalPlaces(placesOf(schema)).filter((place) => !place.mayBeNull);
    expect(silent.map(({ path }) => path.join('.'))).toEqual([]);
  });
});
