import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { MinuteCounts } from '../../../../lib/contract/deployments/counts.ts';
import { LATENCY_BUCKETS } from '../../../../lib/contract/deployments/latency-bounds.ts';
import { revisionId } from '../../../../lib/domain/revision-id.ts';
import { familiesOf } from '../../../../lib/features/metrics/families.ts';
import { createLog } from '../../../../lib/listener/log.ts';
import { OtlpExporter } from '../../../../lib/listener/otlp/exporter.ts';
import { until } from '../../../support/until.ts';

const DEPLOYMENT = '01930000-0000-7000-8000-000000000001';
const revision = (number: number) => revisionId('01930000-0000-7000-8000-000000000000', number);

const whole = z.string().regex(/^\d+$/);
const time = { startTimeUnixNano: whole.optional(), timeUnixNano: whole };
const attributes = z.array(
  z.strictObject({ key: z.string(), value: z.strictObject({ stringValue: z.string() }) }),
);
const cumulative = z.literal(2);
/** As opentelemetry-proto has it in JSON: 64-bit integers are texts, enums numbers. */
const exported = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeMetrics: z.tuple([
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          metrics: z.array(
            z.strictObject({
              name: z.string().regex(/^[a-z][a-z0-9_.]*$/),
              unit: z.string(),
              sum: z
                .strictObject({
                  aggregationTemporality: cumulative,
                  isMonotonic: z.literal(true),
                  dataPoints: z.array(z.strictObject({ ...time, asInt: whole, attributes })),
                })
                .optional(),
              gauge: z
                .strictObject({
                  dataPoints: z.array(z.strictObject({ ...time, asDouble: z.number(), attributes })),
                })
                .optional(),
              histogram: z
                .strictObject({
                  aggregationTemporality: cumulative,
                  dataPoints: z.array(
                    z.strictObject({
                      ...time,
                      count: whole,
                      sum: z.number(),
                      bucketCounts: z.array(whole).length(LATENCY_BUCKETS),
                      explicitBounds: z.array(z.number()).length(LATENCY_BUCKETS - 1),
                      attributes,
                    }),
                  ),
                })
                .optional(),
            }),
          ),
        }),
      ]),
    }),
  ),
});
type Exported = z.infer<typeof exported>;

/** A collector that keeps what it is sent; `status` is what it answers. */
async function aCollector() {
  const collector = { status: 200, asked: 0 };
  const got: { path: string; headers: IncomingHttpHeaders; body: Exported }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    collector.asked += 1;
    if (collector.status === 200)
      got.push({ path: request.url ?? '', headers: request.headers, body: exported.parse(JSON.parse(text)) });
    response.writeHead(collector.status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { collector, got, endpoint };
}

function anExporter(endpoint: string) {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line));
  const headers = { authorization: 'Bearer very-secret' };
  return {
    lines,
    exporter: new OtlpExporter({ endpoint, headers, instanceId: 'one', version: '2.0.0', log }),
  };
}

const measured = (counts: MinuteCounts, number = 14) => ({
  deploymentId: DEPLOYMENT,
  deploymentName: 'support-agent',
  revisionId: revision(number),
  counts,
});

const everything: MinuteCounts = {
  requests: { all: 10, '1xx': 1, '2xx': 7, '3xx': 0, '4xx': 1, '5xx': 1, failed: 2 },
  latency: { counts: [0, 0, 4, 6], sum_ms: 25 },
  bytes_in: 100,
  bytes_out: 2000,
  streams: 2,
  in_flight: 3,
  servers_wanted: 1,
  servers_ready: 1,
  restarts: [{ reason: 'OOMKilled', count: 1 }],
  cpu_cores: 0.25,
  cpu_limit: 2,
  memory_bytes: 1_000_000,
  memory_limit: 2_000_000,
  runs: { begun: 3, succeeded: 2, failed: 1, waiting: 4, durations: { counts: [3], sum_ms: 3 } },
};

const metricsOf = (body: Exported | undefined, resource = 0) =>
  new Map(
    (body?.resourceMetrics[resource]?.scopeMetrics[0].metrics ?? []).map((metric) => [metric.name, metric]),
  );

/** As OpenTelemetry's rules for Prometheus have it: the unit and `_total` behind the name. */
function prometheusName({
  name,
  unit,
  sum,
}: {
  name: string;
  unit: string;
  sum?: object | undefined;
}): string {
  const units: Record<string, string> = { s: '_seconds', By: '_bytes', cores: '_cores' };
  return `${name.replaceAll('.', '_')}${units[unit] ?? ''}${sum === undefined ? '' : '_total'}`;
}

describe('what is sent by OTLP', () => {
  it('names the deployment and its revision, with totals since they were measured first', async () => {
    const { got, endpoint } = await aCollector();
    const { exporter } = anExporter(endpoint);
    exporter.note([measured(everything)], 1000);
    await until(() => got.length === 1, { what: 'the first minute' });
    exporter.note([measured(everything)], 1001);
    await until(() => got.length === 2, { what: 'the second minute' });
    const { path, headers, body } = got[1] ?? {};
    expect([path, headers?.authorization, headers?.['content-type']]).toEqual([
      '/v1/metrics',
      'Bearer very-secret',
      'application/json',
    ]);
    const resource = body?.resourceMetrics[0]?.resource.attributes.map(({ key, value }) => [
      key,
      value.stringValue,
    ]);
    expect(Object.fromEntries(resource ?? [])).toEqual({
      'service.name': 'support-agent',
      'service.version': '14',
      'service.instance.id': 'one',
      'slipway.deployment.id': DEPLOYMENT,
      'slipway.revision.id': revision(14),
    });
    const metrics = metricsOf(body);
    const duration = metrics.get('http.server.request.duration')?.histogram?.dataPoints[0];
    expect(duration).toMatchObject({ count: '20', sum: 0.05, startTimeUnixNano: '60000000000000' });
    expect(duration?.timeUnixNano).toBe('60120000000000');
    expect(duration?.bucketCounts.slice(0, 5)).toEqual(['0', '0', '8', '12', '0']);
    const byStatus = metrics.get('slipway.http.requests')?.sum?.dataPoints;
    expect(byStatus?.map((point) => [point.attributes[0]?.value.stringValue, point.asInt])).toEqual([
      ['1xx', '2'],
      ['2xx', '14'],
      ['3xx', '0'],
      ['4xx', '2'],
      ['5xx', '2'],
    ]);
    expect(metrics.get('slipway.cpu.usage')?.gauge?.dataPoints[0]?.asDouble).toBe(0.25);
    expect(metrics.get('slipway.server.restarts')?.sum?.dataPoints[0]).toMatchObject({
      asInt: '2',
      attributes: [{ key: 'reason', value: { stringValue: 'OOMKilled' } }],
    });
  });

  it('has in Prometheus the names that GET /v2/metrics has, all of them', async () => {
    const { got, endpoint } = await aCollector();
    anExporter(`${endpoint}/v1/metrics`).exporter.note([measured(everything)], 1000);
    await until(() => got.length === 1, { what: 'the minute' });
    expect(got[0]?.path).toBe('/v1/metrics');
    const text = familiesOf([{ labels: {}, counted: everything, now: everything }], 0);
    const families = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    families.delete('slipway_revisions_left_out');
    expect(new Set([...metricsOf(got[0]?.body).values()].map(prometheusName))).toEqual(families);
  });

  it('leaves out what is not known, and forgets what was not measured for a quarter of an hour', async () => {
    const { got, endpoint } = await aCollector();
    const { exporter } = anExporter(endpoint);
    exporter.note([measured({ servers_ready: 1 }), measured(everything, 13)], 1000);
    await until(() => got.length === 1, { what: 'the first' });
    expect([...metricsOf(got[0]?.body).keys()]).toEqual(['slipway.servers.ready']);
    exporter.note([measured({ servers_ready: 1 })], 1015);
    await until(() => got.length === 2, { what: 'the second' });
    expect(got[1]?.body.resourceMetrics).toHaveLength(1);
    for (let number = 100; number < 400; number += 1) exporter.note([measured({}, number)], 1016);
    await until(() => (got.at(-1)?.body.resourceMetrics.length ?? 0) > 1, { what: 'many' });
    exporter.note([measured({ servers_ready: 1 })], 1017);
    await until(() => got.at(-1)?.body.resourceMetrics.length === 200, { what: 'no more than 200' });
  });

  it('that a collector refuses is said once, and made good by the next that it takes', async () => {
    const { got, collector, endpoint } = await aCollector();
    const { exporter, lines } = anExporter(endpoint);
    collector.status = 503;
    for (const minute of [1000, 1001]) {
      const { asked } = collector;
      exporter.note([measured(everything)], minute);
      await until(() => collector.asked > asked, { what: 'the collector to be asked' });
      await until(() => lines.length === 1, { what: 'the failure to be said' });
    }
    expect(lines[0]).toContain('HTTP 503');
    expect(lines.join('')).not.toContain('very-secret');
    collector.status = 200;
    await until(
      () => {
        if (got.length === 0) exporter.note([measured({ requests: { all: 0 } })], 1002);
        return got.length > 0;
      },
      { what: 'the collector to be back' },
    );
    const received = metricsOf(got[0]?.body).get('slipway.http.received')?.sum?.dataPoints[0];
    expect(received?.asInt).toBe('200');
    await until(() => lines.length === 2, { what: 'that it goes on' });
  });
});
