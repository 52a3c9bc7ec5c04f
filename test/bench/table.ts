/** The value below which half of the others lie (0.5), or another share of them. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Prints a table with one row a figure. */
export function printTable(title: string, header: string[], rows: (string | number)[][]): void {
  const cells = [header, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell)),
  );
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  console.log(title);
  for (const row of cells) console.log(`  ${line(row)}`);
  console.log('');
}
