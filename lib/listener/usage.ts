import { commonRows, kubernetesRows, type ListenerRow, processRows } from '../settings/listener.ts';
import { schemaOf } from '../settings/row.ts';
import { optionOf, variableOf } from '../settings/spelling.ts';

/** Markdown as a terminal shows it: without code marks and without references to pages. */
const plain = (markdown: string): string =>
  markdown.replaceAll(/\. See \[[^\][]{1,60}\]\([^()\s]{1,100}\)/g, '').replaceAll('`', '');

/** `SLIPWAY_AGENTS_PORT, default 4401`. */
function detailsOf(name: string, row: ListenerRow): string {
  const absent: unknown = schemaOf(row).safeParse(undefined).data;
  const shown = typeof absent === 'string' || typeof absent === 'number' ? String(absent) : undefined;
  const fallback = row.defaultShown === undefined ? shown : plain(row.defaultShown);
  return [
    ...(row.only === 'option' ? [] : [`${variableOf(name, row)}${row.value === undefined ? '=true' : ''}`]),
    ...(row.required !== undefined ? ['required'] : []),
    ...(fallback && row.required === undefined ? [`default ${fallback}`] : []),
  ].join(', ');
}

const linesOf = (rows: Readonly<Record<string, ListenerRow>>): string =>
  Object.entries(rows)
    .filter(([, { only }]) => only !== 'variable')
    .map(([name, row]) => {
      const details = detailsOf(name, row);
      const call = row.value === undefined ? optionOf(name) : `${optionOf(name)} ${row.value}`;
      return `  ${call}${details === '' ? '' : ` (${details})`}\n      ${plain(row.does)}`;
    })
    .join('\n');

/** What is printed below a message about wrong options. */
export const USAGE = `Usage: listener [options]

${linesOf(commonRows)}

Agents as processes of this machine:

${linesOf(processRows)}

Agents in a Kubernetes cluster (--driver kubernetes):

${linesOf(kubernetesRows)}

The API key is read from SLIPWAY_API_KEY: arguments can be seen by everybody on the machine.`;
