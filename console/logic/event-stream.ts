/**
 * The data of server-sent events, as they come in pieces of text; `rest` is the event that is not whole yet.
 * `isEnd`: nothing follows, which the event `end` says.
 */
export function eventsIn(text: string): { data: string[]; rest: string; isEnd: boolean } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const isEnd = (block: string) => block.split('\n').includes('event: end');
  const data = blocks.flatMap((block) => {
    const lines = isEnd(block) ? [] : block.split('\n').filter((line) => line.startsWith('data:'));
    return lines.length === 0
      ? []
      : [lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')];
  });
  return { data, rest, isEnd: blocks.some(isEnd) };
}
