/** The data of server-sent events, as they come in pieces of text; `rest` is the event that is not whole yet. */
export function eventsIn(text: string): { data: string[]; rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const data = blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => line.startsWith('data:'));
    return lines.length === 0
      ? []
      : [lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')];
  });
  return { data, rest };
}
