import * as z from 'zod';
import { textRule } from './problems.ts';

const ADDRESS_LENGTH_MAX = 2048;

/**
 * https, or http where the installation allows its own machine: which host may be named is the installation's
 * to say.
 */
function addressProblem(text: string): string | undefined {
  const url = URL.canParse(text) && !/[\s\p{Cc}]/u.test(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) return 'a URL begins with https://';
  if (url.username !== '' || url.password !== '') return 'a URL contains no user name or password';
  return text.includes('#') ? 'a URL has no fragment here' : undefined;
}
export const address = z.string().max(ADDRESS_LENGTH_MAX).superRefine(textRule(addressProblem));
