import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { fits } from '../../../lib/embedded/stream/consumer.ts';
import { dispatchFilters, eventFilters } from '../../../lib/store/stream-filters.ts';

type Image = NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];

const image = (entity: string, more: Image = {}): Image => ({ entity: { S: entity }, ...more });
const audit: Image = { audit: { M: { id: { S: 'x' } } } };
const outcome: Image = { outcome: { M: { stage: { S: 'build' }, result: { S: 'failed' } } } };
const interrupt: Image = { interrupt_requested_at: { S: '2026-01-01T00:00:00.000Z' } };
const revision = (status: RevisionStatus, more: Image = {}): Image =>
  image('revision', { status: { S: status }, ...more });

function record(eventName: 'INSERT' | 'MODIFY' | 'REMOVE', of: Image): DynamoDBRecord {
  const images = {
    ...(eventName !== 'REMOVE' && { NewImage: of ?? {} }),
    ...(eventName !== 'INSERT' && { OldImage: of ?? {} }),
  };
  return { eventName, dynamodb: images };
}

describe('events', () => {
  it.each([
    ['INSERT', image('deployment'), true],
    ['MODIFY', image('deployment'), false],
    ['REMOVE', image('deployment'), true],
    ['INSERT', image('revision'), true],
    ['MODIFY', image('revision'), true],
    ['REMOVE', image('revision'), false],
    ['INSERT', image('oauth_token'), true],
    ['MODIFY', image('oauth_token'), true],
    ['REMOVE', image('oauth_connection'), true],
    ['MODIFY', image('oauth_token_place'), false],
    ['INSERT', image('oauth_revocation'), false],
    ['INSERT', image('configuration'), false],
    ['INSERT', image('configuration', audit), true],
    ['MODIFY', image('deployment', audit), true],
    ['REMOVE', image('listener', audit), false],
    ['INSERT', image('audit_event'), false],
    ['INSERT', image('event_count'), false],
    ['INSERT', image('unsent_events'), false],
    ['INSERT', {}, false],
  ] as const)('%s of %j: %s', (name, of, expected) => {
    expect(fits(record(name, of), eventFilters)).toBe(expected);
  });
});

describe('dispatch', () => {
  it.each([
    ['INSERT', revision('CREATING'), true],
    ['MODIFY', revision('QUEUED'), true],
    ['MODIFY', revision('AWAITING_BUILD'), false],
    ['MODIFY', revision('BUILDING'), false],
    ['MODIFY', revision('BUILDING', outcome), true],
    ['MODIFY', revision('BUILDING', interrupt), true],
    ['MODIFY', revision('AWAITING_DEPLOY'), true],
    ['MODIFY', revision('DEPLOYING'), false],
    ['MODIFY', revision('DEPLOYING', outcome), true],
    ['MODIFY', revision('UNKNOWN'), true],
    ['MODIFY', revision('DEPLOYED'), true],
    ['REMOVE', revision('DEPLOYED'), false],
    ['MODIFY', image('deployment'), true],
    ['REMOVE', image('deployment'), false],
    ['MODIFY', image('task'), false],
    ['INSERT', image('token'), false],
    ['MODIFY', image('listener', audit), false],
    ['REMOVE', image('configuration'), false],
  ] as const)('%s of %j: %s', (name, of, expected) => {
    expect(fits(record(name, of), dispatchFilters)).toBe(expected);
  });
});
