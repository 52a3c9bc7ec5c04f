import { describe, expect, it } from 'vitest';
import { auditedBy, type ChangedItem, historyOf, newsOf } from '../../../lib/core/events/changed-item.ts';
import type { Item } from '../../../lib/store/dynamodb/transact.ts';

const mark = (id = 'new', more: Item = {}): Item => ({
  id,
  action: 'thing.change',
  tenant_id: 't',
  user_id: 'u',
  key_id: 'k',
  ...more,
});
const changed = (pk: string, after: Item | undefined, before?: Item): ChangedItem => ({
  sequenceNumber: '1',
  pk,
  before,
  after,
  at: 0,
});

describe('who did what', () => {
  it.each([
    ['a deployment', 'T#t#D#d', { id: 'd' }, { deployment_id: 'd' }],
    ['a revision', 'T#t#D#d', { id: 'r' }, { deployment_id: 'd', subject_id: 'r' }],
    ['a configuration', 'T#t#D#d', { sk: 'C#1' }, { deployment_id: 'd' }],
    ['a listener', 'T#t#L#l', { id: 'l', sk: 'A' }, { subject_id: 'l' }],
    ['a key', 'K#hash', { id: 'key', sk: 'A' }, { subject_id: 'key' }],
    ['a member', 'T#t#M', { sk: 'm' }, { subject_id: 'm' }],
    ['a tenant', 'T#new', { sk: 'A', tenant_id: 'new' }, { subject_id: 'new' }],
  ])('names %s', (_, pk, item, of) => {
    expect(auditedBy(changed(pk, { ...item, audit: mark() }))?.of).toEqual(of);
  });

  it('names what the mark does, before what carries it', () => {
    const audit = mark('new', { subject_id: 'r' });
    expect(auditedBy(changed('T#t#D#d', { sk: 'C#1', audit }))?.of).toEqual({
      deployment_id: 'd',
      subject_id: 'r',
    });
  });

  it('is told by a new mark alone', () => {
    const item = { id: 'd', audit: mark('old') };
    expect(auditedBy(changed('T#t#D#d', { ...item, epoch: 2 }, item))).toBeUndefined();
    expect(auditedBy(changed('T#t#D#d', { ...item, audit: mark() }, item))?.mark.id).toBe('new');
    expect(auditedBy(changed('T#t#D#d', { id: 'd' }, item))).toBeUndefined();
    expect(auditedBy(changed('T#t#D#d', undefined, item))).toBeUndefined();
  });
});

describe('what others are told', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const history = (...statuses: string[]) => statuses.map((status) => ({ status, at }));
  const revision = (...statuses: string[]): Item => ({
    entity: 'revision',
    tenant_id: 't',
    deployment_id: 'd',
    id: 'r',
    number: 3,
    history: history(...statuses),
  });
  const names = (after: Item | undefined, before?: Item) =>
    newsOf(changed('T#t#D#d', after, before))
      .flatMap((news) => ('events' in news ? news.events.slice(news.known) : [news]))
      .map(({ name, event }) => [name, event.status ?? event.type]);

  it('knows whether a revision has left the queue, and whether it has ended', () => {
    const facts = (...statuses: string[]) => {
      const { hasBegun, isEnded } = historyOf(revision(...statuses), 0);
      return [hasBegun, isEnded];
    };
    expect(facts('CREATING', 'QUEUED')).toEqual([false, false]);
    expect(facts('CREATING', 'QUEUED', 'INTERRUPTED')).toEqual([false, true]);
    expect(facts('CREATING', 'QUEUED', 'AWAITING_DEPLOY')).toEqual([true, false]);
    expect(facts('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILD_FAILED')).toEqual([true, true]);
  });

  it('is each status that a history has more than it had', () => {
    const begun = revision('CREATING', 'QUEUED');
    expect(names(begun)).toEqual([
      ['3.0', 'CREATING'],
      ['3.1', 'QUEUED'],
    ]);
    expect(names(revision('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING'), begun)).toEqual([
      ['3.2', 'AWAITING_BUILD'],
      ['3.3', 'BUILDING'],
    ]);
    expect(names({ ...begun, build_id: 'b' }, begun)).toEqual([]);
    expect(names(undefined, begun)).toEqual([]);
  });

  it('is that a deployment comes and goes', () => {
    const deployment = { entity: 'deployment', tenant_id: 't', id: 'd', created_at: at };
    expect(names(deployment)).toEqual([['created', 'deployment.created']]);
    expect(names({ ...deployment, epoch: 2 }, deployment)).toEqual([]);
    expect(names(undefined, deployment)).toEqual([['deleted', 'deployment.deleted']]);
  });

  it('is nothing of other items', () => {
    for (const entity of ['listener', 'configuration', 'token']) expect(names({ entity })).toEqual([]);
  });
});
