import fc from 'fast-check';
import type { MinuteCounts } from '../../../../lib/contract/deployments/counts.ts';

const count = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 1_000_000_000 }));
const may = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

const histogram = fc.record({
  counts: fc
    .array(fc.oneof(fc.constant(0), count), { maxLength: 37 })
    .map((counts) => counts.slice(0, counts.findLastIndex((each) => each > 0) + 1)),
  sum_ms: count,
});

const requests = fc.record(
  { all: count, failed: count, '1xx': count, '2xx': count, '3xx': count, '4xx': count, '5xx': count },
  { requiredKeys: ['all'] },
);

const restarts = fc.uniqueArray(
  fc.record({
    reason: fc.constantFrom('OOMKilled', 'exit code 1', 'SIGSEGV', 'Error', 'other', 'a.b-c (d)'),
    count,
  }),
  { maxLength: 6, selector: ({ reason }) => reason },
);

const runs = fc.record(
  { begun: count, succeeded: count, failed: count, waiting: count, durations: histogram },
  { requiredKeys: [] },
);

const thousandths = count.map((each) => each / 1000);

/** A minute in which any of what can be measured was. */
export const minutes: fc.Arbitrary<MinuteCounts> = fc
  .record({
    requests: may(requests),
    latency: may(histogram),
    bytes_in: may(count),
    bytes_out: may(count),
    streams: may(count),
    in_flight: may(count),
    servers_wanted: may(count),
    servers_ready: may(count),
    restarts: may(restarts),
    cpu_cores: may(thousandths),
    cpu_limit: may(thousandths),
    memory_bytes: may(count),
    memory_limit: may(count),
    runs: may(runs),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
