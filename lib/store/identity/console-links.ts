import * as z from 'zod';
import type { AuditMark } from '../audit-events.ts';
import { absent, present, put, remove } from '../dynamodb/expressions.ts';
import { find } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { consoleLinkKey } from '../keys/index.ts';
import type { Table } from '../table.ts';

/** A link to the console, under the hash of its code; it is removed when it is used. */
export const consoleLink = z.object({
  v: z.literal(1),
  entity: z.literal('console_link'),
  id: z.string(),
  /** The hash of the key that it was made with. */
  key_hash: z.string(),
  /** The tenant it was asked for in. */
  tenant_id: z.string(),
  /** Epoch milliseconds. */
  expires_at: z.number(),
  ttl: z.number(),
});
export type ConsoleLink = z.infer<typeof consoleLink>;

export const findConsoleLink = (table: Table, hash: string): Promise<ConsoleLink | undefined> =>
  find(table, consoleLinkKey(hash), consoleLink);

export const putConsoleLink = (link: ConsoleLink, hash: string, audit: AuditMark): Write =>
  put('console_link', { ...consoleLinkKey(hash), ...link, audit }, absent('pk'));

/** Uses a link up. Demands that nobody has. */
export const takeConsoleLink = (hash: string): Write =>
  remove('console_link', consoleLinkKey(hash), present('pk'));
