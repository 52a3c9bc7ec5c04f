import { createHash } from 'node:crypto';
import type * as z from 'zod';
import type { AuditMark } from '../../core/items/audit-events.ts';
import { forgottenAt } from '../../core/items/forgotten-at.ts';
import { tokenRuleKey } from '../../core/items/token-rule-ends.ts';
import { findTokenRule, type TokenRule, tokenRule } from '../../core/items/token-rules.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { absent, check, present, putNew, remove, update } from '../../store/dynamodb/expressions.ts';
import { queryAll, queryPage } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type TokenRuleRow, tokenRuleRow, type usedToken } from './items.ts';

/** Whose tokens a rule is about. */
export type Subject = Pick<TokenRule, 'issuer' | 'subject'>;

/** Texts of an issuer stand in no key as they are; JSON keeps them apart from each other. */
const hashed = (...texts: string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex');

export const tokenRuleRowKey = ({ issuer, subject }: Subject, tenantId: string, ruleId: string): Key => ({
  pk: `TR#${hashed(issuer, subject.claim, subject.id)}`,
  sk: `${tenantId}#${ruleId}`,
});

const usedTokenKey = (issuer: string, jti: string): Key => ({ pk: `TJ#${hashed(issuer, jti)}`, sk: 'A' });

/** A tenant's rules, newest first; `limit` is how many are read at a time. */
export async function* tokenRulesOf(
  table: Table,
  tenantId: string,
  limit: number,
): AsyncGenerator<TokenRule> {
  const { pk } = tokenRuleKey(tenantId, '');
  for await (const rule of queryAll(table, tokenRule, { pk, newestFirst: true, limit }))
    if (rule.removed_at === undefined) yield rule;
}

/** So many rules about one repository are looked at where no tenant is named: others may make rules too. */
const LOOKED_AT_MAX = 100;

/**
 * What says which rules are about a repository: of the tenant that is named, or of all, where `more` says
 * whether there are more of them than are looked at.
 */
export async function rowsAbout(
  table: Table,
  subject: Subject,
  tenantId: string | undefined,
): Promise<{ rows: TokenRuleRow[]; more: boolean }> {
  const { pk } = tokenRuleRowKey(subject, '', '');
  if (tenantId !== undefined) {
    const between = startingWith(`${tenantId}#`);
    return { rows: await collected(queryAll(table, tokenRuleRow, { pk, between })), more: false };
  }
  const { items } = await queryPage(table, tokenRuleRow, { pk, limit: LOOKED_AT_MAX + 1 });
  return { rows: items.slice(0, LOOKED_AT_MAX), more: items.length > LOOKED_AT_MAX };
}

/** The rules about a repository, as `rowsAbout` finds them. */
export async function rulesAbout(
  table: Table,
  subject: Subject,
  tenantId: string | undefined,
): Promise<{ rules: TokenRule[]; more: boolean }> {
  const { rows, more } = await rowsAbout(table, subject, tenantId);
  const found = await Promise.all(
    rows.map(({ sk }) => {
      const [tenant = '', rule = ''] = sk.split('#');
      return findTokenRule(table, tenant, rule);
    }),
  );
  return { rules: found.flatMap((rule) => rule ?? []), more };
}

/** The name of the write that fails when a rule is not there any more. */
export const TOKEN_RULE = 'token_rule';
/** The name of the write that fails when a token was exchanged before. */
export const USED_TOKEN = 'used_token';

/** Stores a rule, and that it is about its repository. `audit`: who asked for it. */
export const putTokenRuleWrites = (rule: TokenRule, audit: AuditMark): Write[] => [
  putNew(TOKEN_RULE, { ...tokenRuleKey(rule.tenant_id, rule.sk), ...rule, audit }),
  putNew('token_rule_row', {
    ...tokenRuleRowKey(rule, rule.tenant_id, rule.sk),
    v: 1,
    entity: 'token_rule_row',
  }),
];

/** Marks a rule as removed, which ends its keys. Demands that it is one. */
export const removeTokenRuleWrites = (
  rule: TokenRule,
  { now, audit }: { now: number; audit: AuditMark },
): Write[] => [
  update(
    TOKEN_RULE,
    tokenRuleKey(rule.tenant_id, rule.sk),
    { set: { removed_at: new Date(now).toISOString(), ttl: forgottenAt(now), audit } },
    present('pk'),
    absent('removed_at'),
  ),
  remove('token_rule_row', tokenRuleRowKey(rule, rule.tenant_id, rule.sk)),
];

/** Demands that a rule was not deleted. */
export const checkTokenRule = ({ tenant_id, sk }: TokenRule): Write =>
  check(TOKEN_RULE, tokenRuleKey(tenant_id, sk), present('pk'), absent('removed_at'));

/** Uses a token up until it has expired (`until`, in epoch seconds). Demands that nobody has. */
export const useToken = (issuer: string, jti: string, until: number): Write => {
  const item: z.infer<typeof usedToken> = { v: 1, entity: 'used_token', ttl: until };
  return putNew(USED_TOKEN, { ...usedTokenKey(issuer, jti), ...item });
};
