import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answeringUrl, isReported, REPORTED_MAX, withReported } from '../../../lib/domain/agent-address.ts';

const at = (n: number): string => `http://localhost:${4000 + n}/d/app`;

describe('the addresses that a listener reports', () => {
  it('are known again, the last ten of them, whatever came in which order', () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(numbers, (reports) => {
        let reported: string[] | undefined;
        for (const n of reports) reported = withReported({ reported_urls: reported }, at(n)) ?? reported;
        const newest = [...new Set(reports.toReversed())].slice(0, REPORTED_MAX);
        expect(reported).toEqual(newest.map(at));
        for (let n = 0; n <= 20; n++)
          expect(isReported({ reported_urls: reported }, at(n))).toBe(newest.includes(n));
      }),
    );
  });

  it('begin with the one that was known before there was a list', () => {
    const known = { active: { url: at(1) } };
    expect(withReported(known, at(2))).toEqual([at(2), at(1)]);
    expect(withReported(known, undefined)).toBeUndefined();
    expect(isReported(known, at(1))).toBe(true);
    expect(isReported({}, at(1))).toBe(false);
  });

  it.each([
    'https://Agents.Example/d/app/',
    'HTTPS://agents.example:443/d/app',
    'https://agents.example/d/x/../app',
  ])('are one however it is spelled: %s', (address) => {
    const known = { active: { url: 'https://agents.example/d/app' } };
    expect(isReported(known, address)).toBe(true);
  });

  it.each([
    '',
    'agents.example',
    'http://agents.example/d/app',
    'https://agents.example/d/other',
    'https://agents.example:8443/d/app',
    'https://agents.example/d/app?x',
  ])('are another than %j', (address) => {
    expect(isReported({ active: { url: 'https://agents.example/d/app' } }, address)).toBe(false);
  });

  it('are known by a host alone, which stands for https', () => {
    expect(isReported({ active: { url: 'https://app.agents.example' } }, 'app.agents.example')).toBe(true);
  });
});

it('nothing answers but what is active and healthy', () => {
  expect(answeringUrl({})).toBeNull();
  expect(answeringUrl({ active: { healthy: true } })).toBeNull();
  expect(answeringUrl({ active: { healthy: false, url: at(1) } })).toBeNull();
  expect(answeringUrl({ active: { healthy: true, url: at(1) } })).toBe(at(1));
});
