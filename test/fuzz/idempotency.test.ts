import { expect, it } from 'vitest';
import { manyAtOnce } from '../support/http/keyed-requests.ts';

it('makes one deployment and a thousand equal answers of a thousand requests at once', async () => {
  expect(await manyAtOnce(1000)).toEqual({ statuses: [201], bodies: 1, deployments: 1 });
});
