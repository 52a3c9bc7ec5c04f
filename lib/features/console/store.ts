import type { AuditMark } from '../../core/items/audit-events.ts';
import { absent, present, put, remove } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type ConsoleLink, consoleLink } from './items.ts';

/** `hash`: of the code in the link to the console. */
const consoleLinkKey = (hash: string): Key => ({ pk: `KC#${hash}`, sk: 'A' });

export const findConsoleLink = (table: Table, hash: string): Promise<ConsoleLink | undefined> =>
  find(table, consoleLinkKey(hash), consoleLink);

export const putConsoleLink = (link: ConsoleLink, hash: string, audit: AuditMark): Write =>
  put('console_link', { ...consoleLinkKey(hash), ...link, audit }, absent('pk'));

/** Uses a link up. Demands that nobody has. */
export const takeConsoleLink = (hash: string): Write =>
  remove('console_link', consoleLinkKey(hash), present('pk'));
