import { describe, expect, it } from 'vitest';
import { isMovingIn, outdatedBy } from '../../../console/logic/feed.ts';
import type { FeedEvent } from '../../../lib/client/endpoints.ts';
import {
  eventTypes,
  listenerEventTypes,
  tokenEventTypes,
  webhookEventTypes,
} from '../../../lib/contract/events.ts';

const common = { id: 'e', at: '2026-01-01T00:00:00.000Z', tenant_id: 't', sequence: 1, number: 1 };
const ofDeployment = (id: string, type: (typeof eventTypes)[number] = eventTypes[0]): FeedEvent => ({
  ...common,
  type,
  deployment_id: id,
});

describe('what events make old', () => {
  it('is what they name, each once, and what is told of all', () => {
    const told = [['activity'], ['attention']];
    expect(outdatedBy([])).toEqual([]);
    expect(outdatedBy(eventTypes.map((type) => ofDeployment('a', type)))).toEqual([
      ['deployments'],
      ['deployment', 'a'],
      ...told,
    ]);
    expect(outdatedBy([ofDeployment('a'), ofDeployment('b')])).toEqual([
      ['deployments'],
      ['deployment', 'a'],
      ['deployment', 'b'],
      ...told,
    ]);
  });

  it('is known for every type of event, so that none asks for everything', () => {
    const others: FeedEvent[] = [
      ...listenerEventTypes.map((type) => ({ ...common, type, listener_id: 'l' })),
      ...tokenEventTypes.map((type) => ({ ...common, type, token_id: 'k', provider_id: 'p' })),
      ...webhookEventTypes.map((type) => ({ ...common, type, webhook_id: 'w', reason: 'r' })),
    ];
    for (const event of others)
      for (const key of outdatedBy([event])) expect([event.type, key.length > 0]).toEqual([event.type, true]);
    expect(outdatedBy(others)).toContainEqual(['listeners']);
  });

  it('is everything for one that this version does not know', () => {
    const unknown: object = { ...common, type: 'galaxy.formed', galaxy_id: 'g' };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a later version may send it
    expect(outdatedBy([unknown as FeedEvent])).toEqual([[]]);
  });
});

describe('what may still change by itself', () => {
  it('is found in one thing, in a list and in pages of lists', () => {
    expect(isMovingIn({ status: 'BUILDING' })).toBe(true);
    expect(isMovingIn({ pages: [{ resources: [] }, { resources: [{ status: 'QUEUED' }] }] })).toBe(true);
    const listed = (status: string) => ({ resources: [{ status: 'READY', latest_revision: { status } }] });
    expect(isMovingIn(listed('DEPLOYING'))).toBe(true);
    expect(isMovingIn(listed('DEPLOYED'))).toBe(false);
    expect(isMovingIn({ status: 'AWAITING_DELETE' })).toBe(true);
  });

  it('is not what once moved', () => {
    const history = [{ status: 'BUILDING' }, { status: 'DEPLOYED' }];
    expect(isMovingIn({ status: 'DEPLOYED', status_history: history })).toBe(false);
    for (const nothing of [undefined, null, 'BUILDING', 3, { latest_revision: null }])
      expect(isMovingIn(nothing)).toBe(false);
  });
});
