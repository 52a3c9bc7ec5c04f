import { Refusal } from '../../lib/client/refusal.ts';
import { wordsOf } from './refusal.ts';
import type { Role } from './roles.ts';

const LETTERS = 8;
const HALF = LETTERS / 2;

/**
 * The code that somebody has typed, as the program shows it: `BCDF-GHJK`; undefined: it cannot be one, and
 * asking would only spend a try.
 */
export function codeOf(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, '');
  if (letters.length !== LETTERS || /[^A-Z]/.test(letters)) return undefined;
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

const minutesIn = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'in a minute' : `in ${minutes} minutes`;
};

/** Why a code was not taken, and what to do about it. */
export function wordsOfNoLogin(error: unknown): string {
  if (error instanceof Refusal && error.code === 'device_login_not_found')
    return 'No login is waiting for this code. Compare it with your terminal, letter by letter. If it is older than 10 minutes or already used, run slipway login again.';
  if (error instanceof Refusal && error.code === 'too_many_tries')
    return `Too many wrong codes. You can try again ${minutesIn(error.retryAfterSeconds ?? 600)}.`;
  return wordsOf(error);
}

/** What who has a role may do, for who gives it away. */
export const roleConsequences: Record<Exclude<Role, 'listener'>, string> = {
  viewer: 'Sees deployments and their logs. Cannot change anything.',
  developer: 'Deploys, changes and deletes deployments, and sees their logs.',
  admin: 'Everything a developer can do. Also manages keys, members, listeners and webhooks.',
  organization_admin:
    'Everything an administrator can do. Also manages tenants and keys of the organization.',
};
