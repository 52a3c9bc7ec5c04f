import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCounts, encodeCounts } from '../../../../lib/domain/metrics/encode.ts';
import { merge } from '../../../../lib/domain/metrics/merge.ts';
import { minutes } from './minutes.ts';

describe('the stored text of counts', () => {
  it('is read as it was written, and what was not known stays unknown', () => {
    fc.assert(
      fc.property(minutes, (counts) => {
        const read = decodeCounts(encodeCounts(counts));
        expect(Object.keys(read).sort()).toEqual(Object.keys(counts).sort());
        // Added to the same with zeros in it, both say the same of all that may be left out.
        const zeros = { requests: { all: 0 }, runs: {} };
        expect(merge(read, zeros, 'revisions')).toEqual(merge(counts, zeros, 'revisions'));
      }),
    );
  });

  it('is short: an ordinary minute of one server takes about a hundred bytes', () => {
    const text = encodeCounts({
      requests: { all: 240, failed: 2, '2xx': 230, '4xx': 8, '5xx': 2 },
      latency: { counts: [0, 0, 0, 0, 0, 3, 9, 40, 80, 60, 20, 15, 8, 3, 1, 1], sum_ms: 7_200 },
      bytes_in: 140_000,
      bytes_out: 2_400_000,
      streams: 0,
      in_flight: 6,
      servers_wanted: 1,
      servers_ready: 1,
      cpu_cores: 0.31,
      cpu_limit: 2,
      memory_bytes: 312_000_000,
      memory_limit: 2_147_483_648,
    });
    expect(text.length).toBeLessThan(130);
  });

  it('passes over what a later release has added', () => {
    expect(decodeCounts('Z1.2;i5')).toEqual({ bytes_in: 5 });
  });

  it('is not taken for something else where it is damaged', () => {
    expect(() => decodeCounts('i!')).toThrow('no number');
  });
});
