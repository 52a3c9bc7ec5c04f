import { describe, expect, it } from 'vitest';
import { hasQueue, serverOf } from '../../../lib/domain/agent-server.ts';

describe('what a revision runs', () => {
  it('is what its build says, whatever was sent', () => {
    const sent = { queue_cpu: 1, db_cpu: 1 };
    expect(serverOf({ source: 'github', server: 'other' }, sent)).toBe('other');
    expect(serverOf({ source: 'internal_source', server: 'langgraph' }, {})).toBe('langgraph');
    // A tarball of a deployment that takes images too.
    expect(serverOf({ source: 'internal_docker', server: 'other' }, {})).toBe('other');
  });

  it('is an agent project in an image that was pushed to us', () => {
    expect(serverOf({ source: 'internal_docker', server: undefined }, {})).toBe('langgraph');
  });

  it.each([
    [{}, 'other'],
    [{ cpu: 1, memory_mb: 1024, max_scale: 3, core_cpu: 1, labels: { queue_cpu: '1' } }, 'other'],
    [{ queue_cpu: null, db_cpu: undefined }, 'other'],
    [{ queue_min_scale: 0 }, 'langgraph'],
    [{ db_storage_gi: 10 }, 'langgraph'],
    [{ redis_memory_mb: 256 }, 'langgraph'],
  ])('is told by %j where nothing else does', (sent, server) => {
    expect(serverOf({ source: 'external_docker', server: undefined }, sent)).toBe(server);
    expect(serverOf({ source: 'github', server: undefined }, sent)).toBe(server);
  });
});

it('a queue is for servers of agent projects, when it was asked for', () => {
  expect(hasQueue('langgraph', { queue_max_scale: 2 })).toBe(true);
  expect(hasQueue('langgraph', { cpu: 1, redis_cpu: 1, queue_cpu: null })).toBe(false);
  expect(hasQueue('other', { queue_max_scale: 2 })).toBe(false);
});
