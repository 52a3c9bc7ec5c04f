import { describe, expect, it } from 'vitest';
import { codeOf, wordsOfNoLogin } from '../../../console/logic/device-login.ts';
import { Refusal } from '../../../lib/client/refusal.ts';

describe('the code of a login', () => {
  it.each(['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk\n', 'b-c-d-f-g-h-j-k', 'BCDF–GHJK', 'BCDF\u2011GHJK'])(
    'is understood as it is typed: %j',
    (typed) => expect(codeOf(typed)).toBe('BCDF-GHJK'),
  );

  it.each(['', 'BCDF-GHJ', 'BCDF-GHJKL', 'BCDF-GHJ1', 'BCDF_GHJK', 'BCDFGHJÄ', '<b>-GHJK'])(
    'is asked for again without spending a try: %j',
    (typed) => expect(codeOf(typed)).toBeUndefined(),
  );
});

describe('why a code is not taken', () => {
  const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
    wordsOfNoLogin(new Refusal({ status, headers: new Headers(headers) }, { code, detail: 'in its words' }));

  it('is said with what to do about it', () => {
    expect(refused(404, 'device_login_not_found')).toContain('run slipway login again');
    expect(refused(429, 'too_many_tries', { 'Retry-After': '61' })).toContain('in 2 minutes');
    expect(refused(429, 'too_many_tries', { 'Retry-After': '7' })).toContain('in a minute');
    expect(refused(429, 'too_many_tries')).toContain('in 10 minutes');
    expect(refused(409, 'state_forbids')).toBe('in its words');
  });
});
