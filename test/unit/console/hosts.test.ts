import { describe, expect, it } from 'vitest';
import { hostGuides } from '../../../console/logic/hosts.ts';
import { integrationTypes } from '../../../lib/contract/integration-types.ts';

describe('the guide to a host', () => {
  it('is there for each kind that an integration may be of', () => {
    expect(Object.keys(hostGuides)).toEqual([...integrationTypes]);
    for (const type of integrationTypes) expect(hostGuides[type].type).toBe(type);
  });

  it.each(integrationTypes)('of %s leads to pages of that host, and nowhere else', (type) => {
    const { host = 'git.example:8443', tokenUrl, webhookUrl } = hostGuides[type];
    expect(new URL(tokenUrl(host)).host).toBe(host);
    expect(webhookUrl(`https://${host}/team/app`).startsWith(`https://${host}/team/app/`)).toBe(true);
  });

  it.each(integrationTypes)('of %s asks for what it takes to read, before what can be left out', (type) => {
    const optional = hostGuides[type].scopes.map(({ isOptional }) => isOptional === true);
    expect(optional[0]).toBe(false);
    expect(optional.toSorted((one, other) => Number(one) - Number(other))).toEqual(optional);
    for (const step of [...hostGuides[type].tokenSteps, ...hostGuides[type].webhookSteps])
      expect(step).toMatch(/^[A-Z].*\.$/);
  });
});
