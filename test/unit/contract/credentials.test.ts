import { expect, it } from 'vitest';
import * as z from 'zod';
import { auditActions } from '../../../lib/contract/audit.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';

/** Pages say of themselves that they are kept nowhere. */
const marked = routes.filter(({ credential }) => credential === true).map(({ operation }) => operation);
const json = routes.filter(({ page, contentTypes }) => page === undefined && contentTypes === undefined);

/** Names of fields that hold what opens something. */
const FIELD =
  /^(?:(?:api_|access_|refresh_|client_|push_)?(?:key|token|password|secret)|(?:upload|artifact|download)_url)$/;

/** Every name of a field in a JSON schema, at any depth. */
function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const properties: object = 'properties' in schema ? (schema.properties ?? {}) : {};
  // What is said of a credential is none.
  const own = Object.entries(properties).filter(([, of]) => !(typeof of === 'object' && 'properties' in of));
  return [...own.map(([name]) => name), ...Object.values(schema).flatMap(fieldsIn)];
}

const fieldsOf = ({ response }: RouteRow): string[] =>
  response === null ? [] : fieldsIn(z.toJSONSchema(response, { unrepresentable: 'any', io: 'output' }));

/** What an answer in the audit hands out. */
const handOut = (action: string): boolean =>
  action.endsWith('.read') ||
  /^(?:upload_url|push_token|registry_credentials|console_link|console_session|device_login|api_key)\.create$/.test(
    action,
  );

it('every answer that the audit calls a hand-out is marked as one with a credential', () => {
  const due = routes.filter(({ audit = [] }) => Array.isArray(audit) && audit.some(handOut));
  expect(due.length).toBeGreaterThan(8);
  expect(due.map(({ operation }) => operation).filter((operation) => !marked.includes(operation))).toEqual(
    [],
  );
  expect(auditActions.filter(handOut).length).toBeGreaterThan(6);
});

it('every answer with a field that holds one is marked', () => {
  const found = json.map((row) => [row.operation, fieldsOf(row).filter((name) => FIELD.test(name))] as const);
  const holds = found.filter(([, names]) => names.length > 0).map(([operation]) => operation);
  expect(holds.length).toBeGreaterThan(8);
  expect(holds.filter((operation) => !marked.includes(operation))).toEqual([]);
});
