import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { MinuteCounts } from '../../../lib/contract/deployments/counts.ts';
import { familiesOf } from '../../../lib/features/metrics/families.ts';

const dashboard = z.object({
  templating: z.object({
    list: z.array(z.object({ name: z.string(), definition: z.string().optional() })),
  }),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).min(1),
    }),
  ),
});

const everything: MinuteCounts = {
  requests: { all: 1, '2xx': 1 },
  latency: { counts: [1], sum_ms: 1 },
  bytes_in: 1,
  bytes_out: 1,
  streams: 1,
  in_flight: 1,
  servers_wanted: 1,
  servers_ready: 1,
  restarts: [{ reason: 'OOMKilled', count: 1 }],
  cpu_cores: 1,
  cpu_limit: 1,
  memory_bytes: 1,
  memory_limit: 1,
  runs: { begun: 1, succeeded: 1, failed: 1, waiting: 1, durations: { counts: [1], sum_ms: 1 } },
};
const labels = { service_name: 'support-agent', service_version: '14' };
const lines = familiesOf([{ labels, counted: everything, now: everything }], 0)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** The labels of each series that `GET /v2/metrics` writes, by its name. */
const written = new Map<string, Set<string>>();
for (const line of lines) {
  const [, name = '', inside = ''] = /^([a-z_]+)(?:\{(.*)\})? /.exec(line) ?? [];
  const own = written.get(name) ?? new Set();
  for (const [, label = ''] of inside.matchAll(/([a-z_]+)="/g)) own.add(label);
  written.set(name, own);
}

/** Series of ours in a query: each has an underscore, and what is no series is followed by a bracket. */
const seriesIn = (query: string): string[] =>
  [...query.matchAll(/\b((?:slipway|http_server)_[a-z_]+)\b/g)].map(([, name = '']) => name);

const { panels, templating } = dashboard.parse(
  JSON.parse(await readFile(new URL('../../../docs/grafana-dashboard.json', import.meta.url), 'utf8')),
);
const queries = panels.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })));

describe('the dashboard for Grafana', () => {
  it.each(queries)('$title asks for $legendFormat of what is written', ({ expr, legendFormat }) => {
    const names = seriesIn(expr);
    expect(names).not.toEqual([]);
    for (const name of names) {
      const known = written.get(name);
      expect([name, known === undefined]).toEqual([name, false]);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const grouped = [...expr.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      for (const label of [...shown, ...grouped]) expect(known).toContain(label);
      for (const label of shown) expect(grouped).toContain(label);
    }
  });

  it('leaves out no series', () => {
    const asked = new Set(queries.flatMap(({ expr }) => seriesIn(expr)));
    const families = new Set([...written.keys()].map((name) => name.replace(/_(sum|count)$/, '_bucket')));
    expect(asked).toEqual(families);
  });

  it('chooses by labels that are written', () => {
    for (const { definition } of templating.list) {
      const [, name = '', label = ''] =
        /^label_values\(([a-z_]+).*, ([a-z_]+)\)$/.exec(definition ?? '') ?? [];
      if (definition !== undefined) expect(written.get(name)).toContain(label);
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
  });
});
