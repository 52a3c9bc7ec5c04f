/**
 * The text with another content between `<!-- generated: <name> … -->` and `<!-- end of generated part -->`.
 */
export function withGeneratedPart(text: string, name: string, content: string): string {
  const begin = text.indexOf('-->\n', text.indexOf(`<!-- generated: ${name}`)) + 4;
  const end = text.indexOf('<!-- end of generated part -->', begin);
  if (!text.includes(`<!-- generated: ${name}`) || end < begin)
    throw new Error(
      `Between which lines does "${name}" belong? The marks of the generated part are not there.`,
    );
  return `${text.slice(0, begin)}\n${content}\n\n${text.slice(end)}`;
}
