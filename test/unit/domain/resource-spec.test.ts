import { describe, expect, it } from 'vitest';
import type { ResourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';
import {
  checkBodyResourceSpec,
  checkResourceSpec,
  resolveResourceSpec,
} from '../../../lib/domain/resource-spec.ts';

const types = (spec: object) =>
  checkResourceSpec({ ...spec }).map(({ loc, type }) => `${loc.at(-1)} ${type}`);

describe('the numbers of a resource_spec', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ cpu: 0.1, memory_mb: 128, min_scale: 0, max_scale: 1, db_storage_gi: 1, db_max_connections: 1 }, []],
    [{ cpu: 0.09, core_cpu_limit: 0 }, ['cpu greater_than_equal', 'core_cpu_limit greater_than_equal']],
    [{ memory_mb: 127, db_memory_mb: 1000 }, ['memory_mb greater_than_equal', 'db_memory_mb multiple_of']],
    [{ memory_mb: 512, memory_limit_mb: 256 }, ['memory_limit_mb greater_than_equal']],
    [{ redis_memory_mb: 512, redis_memory_limit_mb: 384 }, ['redis_memory_limit_mb greater_than_equal']],
    [{ redis_memory_mb: 512, redis_memory_limit_mb: 512 }, []],
    [{ cpu: 2, cpu_limit: 1 }, ['cpu_limit greater_than_equal']],
    [{ cpu: 1.04, cpu_limit: 1 }, ['cpu_limit greater_than_equal']],
    [{ cpu: 0.101, cpu_limit: 0.125, db_cpu: 2.999 }, []],
    [
      { cpu: 0.1001, db_cpu_limit: 0.1 + 0.2, queue_cpu: 0.09999, redis_cpu: 1e-7 },
      [
        'queue_cpu greater_than_equal',
        'redis_cpu greater_than_equal',
        'cpu decimal_max_places',
        'db_cpu_limit decimal_max_places',
      ],
    ],
    [{ min_scale: 3, max_scale: 2 }, ['max_scale greater_than_equal']],
    [{ min_scale: -1, max_scale: 0 }, ['min_scale greater_than_equal', 'max_scale greater_than_equal']],
    [
      { db_storage_gi: 0, db_max_connections: 0.5 },
      ['db_storage_gi greater_than_equal', 'db_max_connections greater_than_equal'],
    ],
    [{ memory_mb: 1_000_000 * 128, cpu: 10_000 }, []],
    [{ memory_mb: 'x', cpu: null, max_scale: [] }, []],
  ])('%j', (spec, expected) => {
    expect(types(spec)).toEqual(expected);
  });

  it('are reported where a body has them, with the bound', () => {
    expect(checkBodyResourceSpec({ source_config: { resource_spec: { memory_mb: 130 } } })).toEqual([
      {
        loc: ['body', 'source_config', 'resource_spec', 'memory_mb'],
        type: 'multiple_of',
        msg: 'Input should be a multiple of 128',
        input: 130,
        ctx: { multiple_of: 128 },
      },
    ]);
    expect(checkBodyResourceSpec({ source_config: { resource_spec: { cpu: 0.1234 } } })).toEqual([
      {
        loc: ['body', 'source_config', 'resource_spec', 'cpu'],
        type: 'decimal_max_places',
        msg: 'Decimal input should have no more than 3 decimal places',
        input: 0.1234,
        ctx: { decimal_places: 3 },
      },
    ]);
    for (const body of [
      undefined,
      null,
      [],
      7,
      {},
      { source_config: 'x' },
      { source_config: { resource_spec: 1 } },
    ]) {
      expect(checkBodyResourceSpec(body)).toEqual([]);
    }
  });

  it.each<[ResourceSpec, ResourceSpec]>([
    [{}, {}],
    [
      { cpu: 0.5, memory_mb: 1024 },
      {
        cpu: 0.5,
        cpu_limit: 1,
        memory_mb: 1024,
        memory_limit_mb: 2048,
        queue_cpu: 0.5,
        queue_cpu_limit: 1,
        queue_memory_mb: 1024,
        queue_memory_limit_mb: 2048,
      },
    ],
    [{ core_cpu_limit: 1 }, { core_cpu: 0.5, core_cpu_limit: 1 }],
    [{ core_memory_limit_mb: 384 }, { core_memory_mb: 128, core_memory_limit_mb: 384 }],
    [{ redis_memory_mb: 512 }, { redis_memory_mb: 512, redis_memory_limit_mb: 512 }],
    [{ redis_cpu: 0.14 }, { redis_cpu: 0.14, redis_cpu_limit: 0.28 }],
    [{ redis_cpu: 0.301 }, { redis_cpu: 0.301, redis_cpu_limit: 0.602 }],
    [{ redis_cpu_limit: 0.25 }, { redis_cpu: 0.125, redis_cpu_limit: 0.25 }],
    [{ redis_cpu_limit: 0.15 }, { redis_cpu: 0.1, redis_cpu_limit: 0.15 }],
    // As it was stored when finer shares were taken.
    [{ redis_cpu: 0.12345 }, { redis_cpu: 0.123, redis_cpu_limit: 0.247 }],
    [
      { min_scale: 2, max_scale: 5, queue_min_scale: 1 },
      { min_scale: 2, max_scale: 5, queue_min_scale: 1 },
    ],
    [
      { min_scale: 2, max_scale: 5 },
      { min_scale: 2, max_scale: 5, queue_min_scale: 2, queue_max_scale: 5 },
    ],
    [{ labels: { a: 'b' } }, { labels: { a: 'b' } }],
  ])('%j is filled in', (spec, expected) => {
    expect(resolveResourceSpec(spec)).toEqual(expected);
  });
});
