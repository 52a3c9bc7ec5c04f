import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prices } from '../../bench/prices.ts';

const page = readFileSync(new URL('../../../docs/fargate.md', import.meta.url), 'utf8');
const HOURS = 730;
const SERVER = { cpu: 0.5, memoryGb: 1 };

/** Dollars a month, to the cent. */
const monthly = (hourly: number): string => (Math.round(hourly * HOURS * 100 + 1e-6) / 100).toFixed(2);

it('docs/fargate.md has the costs that follow from the prices', () => {
  const { balancerHour, addressHour, natHour } = prices;
  const x86 = SERVER.cpu * prices.serverCpuHour + SERVER.memoryGb * prices.serverGbHour;
  const arm = SERVER.cpu * prices.armCpuHour + SERVER.memoryGb * prices.armGbHour;
  const alarm = prices.alarmMetricMonth / HOURS;
  const secret = prices.secretMonth / HOURS;
  const further = x86 + addressHour + secret;
  const rows = [...page.matchAll(/^\| (.+?) \| \**([\d.]+)\** \|$/gm)].map(([, what, value]) => [
    what,
    value,
  ]);
  expect(rows.slice(0, 8)).toEqual([
    ['the balancer', monthly(balancerHour)],
    [`a server of 0.5 CPU and 1 GB, x86 (arm64: ${monthly(arm)})`, monthly(x86)],
    ['its public IPv4 address', monthly(addressHour)],
    ['the secret of a revision', monthly(secret)],
    ['the alarm on the driver', monthly(alarm)],
    ['**the first agent**', monthly(balancerHour + alarm + further)],
    ['**each further agent**', monthly(further)],
    ['a NAT gateway (`agentNetwork=nat`), instead of public addresses', monthly(natHour + addressHour)],
  ]);
});
