import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from '../../../lib/cli/commands/table.ts';
import { type Command, everywhere, type Flags } from '../../../lib/cli/shell/command.ts';
import { flagText, usageOf } from '../../../lib/cli/shell/help.ts';
import { withGeneratedPart } from '../../support/files/generated-part.ts';

const page = new URL('../../../docs/cli.md', import.meta.url);

const inCell = (text: string): string => text.replaceAll('|', '\\|');

const tableOf = (flags: Flags): string[] => [
  '| Flag | Meaning |',
  '|---|---|',
  ...Object.entries(flags).map(([name, flag]) => {
    const among = flag.among === undefined ? '' : `: ${flag.among.join(', ')}`;
    return `| \`${inCell(flagText(name, flag))}\` | ${inCell(flag.says + among)} |`;
  }),
];

const partOf = (row: Command): string =>
  [
    `### ${row.name}`,
    '',
    `${row.says}.${row.more === undefined ? '' : ` ${row.more.replaceAll('\n', ' ')}`}`,
    '',
    '```sh needs=agent',
    `# ${usageOf(row)}`,
    ...row.examples,
    '```',
    ...(Object.keys(row.flags).length === 0 ? [] : ['', ...tableOf(row.flags)]),
  ].join('\n');

it('docs/cli.md lists each command with its flags', () => {
  const generated = [
    'Every command takes:',
    '',
    ...tableOf(everywhere),
    '',
    commands.map(partOf).join('\n\n'),
  ];
  const text = readFileSync(page, 'utf8');
  const expected = withGeneratedPart(text, 'commands', generated.join('\n'));
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(page, expected);
  else expect(text).toBe(expected);
});
