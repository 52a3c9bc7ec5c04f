import { describe, expect, it } from 'vitest';
import {
  axisOf,
  crashLoopIn,
  errorsChart,
  furtherCharts,
  requestsChart,
  slowestChart,
} from '../../../console/logic/metrics.ts';
import type { MetricsPoint } from '../../../lib/contract/deployments/metrics.ts';

const START = Date.parse('2026-01-05T10:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

describe('the metrics of a deployment', () => {
  const nothing: Omit<MetricsPoint, 'at'> = {
    requests: null,
    latency: null,
    bytes_in: null,
    bytes_out: null,
    streams: null,
    in_flight: null,
    servers_wanted: null,
    servers_ready: null,
    restarts: null,
    cpu_cores: null,
    memory_bytes: null,
    runs: null,
  };
  const counted = (all: number, failed: number): MetricsPoint['requests'] => ({
    all,
    '1xx': 0,
    '2xx': all - failed,
    '3xx': 0,
    '4xx': 0,
    '5xx': failed,
    failed,
  });
  const point = (minute: number, more: Partial<MetricsPoint> = {}): MetricsPoint => ({
    at: at(minute * 60),
    ...nothing,
    ...more,
  });
  const axis = axisOf({ from: at(0), to: at(300), step: 60 });

  it('are requests a minute, errors as a share with their counts, and the latency of the slowest', () => {
    const points = [
      point(0, {
        requests: counted(100, 2),
        latency: { count: 100, p50_ms: 600, p95_ms: 2_000, p99_ms: 2_500 },
      }),
      point(1, { requests: counted(0, 0), latency: null }),
      point(3, {
        requests: counted(300, 2),
        latency: { count: 300, p50_ms: 500, p95_ms: 1_900, p99_ms: 2_500 },
      }),
    ];
    const look = { axis, points, words: 'the last hour' };
    const [requests, errors, slowest] = [requestsChart(look), errorsChart(look), slowestChart(look)];
    expect(requests.lines[0].values).toEqual([100, 0, null, 300, null]);
    expect([requests.figure, requests.beside]).toEqual(['300', 'peak 300']);
    expect(errors.lines[0].values).toEqual([0.02, 0, null, 2 / 300, null]);
    expect([errors.figure, errors.unit]).toEqual(['1 %', '4 of 400']);
    expect(slowest.lines[0].values).toEqual([2_000, 'none', null, 1_900, null]);
    expect([slowest.figure, slowest.unit]).toEqual(['1.9 s', 'half are under 500 ms']);
    expect(slowest.says).toBe('Slowest 5 % (p95) over the last hour: from 2 s to 1.9 s, at most 2 s');
  });

  it('of wider slots are shown by the minute too', () => {
    const day = axisOf({ from: at(0), to: at(1_800), step: 900 });
    const look = { axis: day, points: [point(0, { requests: counted(150, 0) })], words: 'the last day' };
    expect(requestsChart(look).lines[0].values).toEqual([10, null]);
  });

  it('are no charts of what nobody measured', () => {
    const look = { axis, points: [point(0, { requests: counted(1, 0) })], words: 'the last hour' };
    expect(furtherCharts(look)).toEqual([]);
    const more = {
      ...look,
      points: [point(0, { memory_bytes: 5e8, restarts: [{ reason: 'oom', count: 2 }] })],
    };
    expect(furtherCharts(more).map(({ title, figure }) => [title, figure])).toEqual([
      ['Memory', '500 MB'],
      ['Restarts', '2'],
    ]);
  });

  it('show a server that starts again and again, and not one that did long ago or seldom', () => {
    const restart = (minute: number, count: number) =>
      point(minute, { restarts: [{ reason: 'out of memory', count }] });
    const now = START + 20 * 60_000;
    expect(crashLoopIn([restart(6, 1), restart(10, 1), restart(19, 1)], now)).toEqual({
      restarts: 3,
      reason: 'out of memory',
    });
    expect([crashLoopIn([restart(0, 9)], now), crashLoopIn([restart(19, 2), point(20)], now)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
