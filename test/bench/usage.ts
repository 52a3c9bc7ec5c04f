import { prices } from './prices.ts';

type Priced = keyof typeof prices;

/** How much is used of what AWS has prices for, by the names in prices.ts. */
export type Usage = Partial<Record<Priced, number>>;
/** What uses it. */
export type Line = [what: string, usage: Usage];

const priced = Object.keys(prices) as Priced[]; // the object is written out with these names, and has no others

export const times = (count: number, usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).map(([name, quantity]) => [name, quantity * count]));

export const sum = (...usages: Usage[]): Usage =>
  Object.fromEntries(
    priced.map((name) => [name, usages.reduce((all, usage) => all + (usage[name] ?? 0), 0)]),
  );

export const total = (lines: Line[]): Usage => sum(...lines.map(([, usage]) => usage));

export const dollarsOf = (usage: Usage): number =>
  priced.reduce((dollars, name) => dollars + (usage[name] ?? 0) * prices[name], 0);

/** Without what leaves AWS, which has a line of its own. */
export const withoutTransfer = (usage: Usage): Usage => ({ ...usage, transferGb: 0 });

/** What is kept of logs: they stay about a month. CloudWatch compresses them; that much is left out. */
export const keptLogs = ({ logGb = 0 }: Usage): Usage => ({ logGbMonth: logGb });
