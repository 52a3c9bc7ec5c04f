import { describe, expect, it } from 'vitest';
import { hasQueue, needsMissing, serverOf } from '../../../lib/domain/agent-server.ts';

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

describe('what a LangGraph server would be without', () => {
  const [postgres, redis] = ['POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM'];
  const missing = (type: 'ecs' | 'k8s' | 'process', ...names: string[]) => needsMissing(type, new Set(names));

  it('is its stores on Fargate, which brings none', () => {
    expect(missing('ecs')).toMatchObject({ stores: [postgres, redis] });
    expect(missing('ecs', postgres)).toMatchObject({ stores: [redis] });
    expect(missing('ecs', postgres, redis)).toMatchObject({ stores: [] });
    expect(missing('k8s')).toMatchObject({ stores: [] });
    expect(missing('process')).toMatchObject({ stores: [] });
  });

  it('is a licence in every image, unless one of two secrets gives it', () => {
    expect(missing('ecs', 'OPENAI_API_KEY')).toMatchObject({ licence: true });
    expect(missing('k8s')).toMatchObject({ licence: true });
    expect(missing('k8s', 'LANGGRAPH_CLOUD_LICENSE_KEY')).toMatchObject({ licence: false });
    expect(missing('ecs', 'LANGSMITH_API_KEY')).toMatchObject({ licence: false });
    expect(missing('process')).toMatchObject({ licence: false });
  });
});
