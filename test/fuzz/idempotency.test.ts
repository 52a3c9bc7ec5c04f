import { it } from 'vitest';
import { oneOfManyAtOnce } from '../support/keyed-requests.ts';

it('makes one deployment and a thousand equal answers of a thousand requests at once', () =>
  oneOfManyAtOnce(1000));
