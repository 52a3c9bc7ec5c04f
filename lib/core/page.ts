/** One page of rows: those after the first `offset`, `limit` at most, and the offset of the page after it. */
export async function pageOf<T>(
  rows: AsyncIterable<T>,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: T[]; offset: number }> {
  const page: T[] = [];
  let skipped = 0;
  for await (const row of rows) {
    if (skipped < offset) skipped += 1;
    else if (page.push(row) === limit) break;
  }
  return { rows: page, offset: skipped + page.length };
}
