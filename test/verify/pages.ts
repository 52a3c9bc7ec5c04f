/** What stands on all pages of an answer of AWS. */
export async function all<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => Item[] | undefined,
): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of pages) found.push(...(itemsOf(page) ?? []));
  return found;
}
