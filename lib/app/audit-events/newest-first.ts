type Identified = { sk: string };

/** Walks over several lists that are newest first as over one: ids tell the time. */
export async function* newestFirst<T extends Identified>(lists: AsyncGenerator<T>[]): AsyncGenerator<T> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    let newest: { at: number; value: T } | undefined;
    for (const [at, head] of heads.entries()) {
      if (head.done !== true && (newest === undefined || head.value.sk > newest.value.sk))
        newest = { at, value: head.value };
    }
    const list = newest && lists[newest.at];
    if (newest === undefined || list === undefined) return;
    yield newest.value;
    heads[newest.at] = await list.next();
  }
}
