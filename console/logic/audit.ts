import type { Listed } from '../../lib/client/endpoints.ts';
import type { AuditAction } from '../../lib/contract/audit.ts';
import { roleWords } from './roles.ts';
import { lookOf } from './status.ts';

export type AuditEvent = Listed<'GET /v2/audit-events'>;

/** What is kept, by the kind of thing, as it is offered. */
const verbs = {
  deployment: ['create', 'change', 'delete'],
  revision: ['create', 'redeploy', 'interrupt', 'release_threads'],
  revision_spec: ['read'],
  upload_url: ['create'],
  push_token: ['create'],
  registry_credentials: ['create'],
  listener: ['create', 'change', 'delete'],
  integration: ['create', 'change', 'delete'],
  webhook: ['create', 'change', 'delete', 'test', 'redeliver', 'disable'],
  api_key: ['create', 'exchange', 'revoke'],
  token_rule: ['create', 'delete'],
  console_link: ['create'],
  console_session: ['create', 'delete'],
  device_login: ['confirm', 'deny', 'create', 'delete'],
  tenant: ['create', 'change'],
  membership: ['change', 'remove'],
  oauth_provider: ['create', 'change', 'delete'],
  oauth_token: ['create', 'change', 'delete', 'read'],
  consent: ['request'],
  connection: ['create', 'delete'],
  request: ['refuse'],
} as const;

type Verbs = typeof verbs;
type Offered = { [K in keyof Verbs]: `${K}.${Verbs[K][number]}` }[keyof Verbs];

/** `OAuth provider` of `oauth_provider`. */
const kindWord = (kind: string): string =>
  lookOf(kind)
    .word.replace(/^Oauth/, 'OAuth')
    .replace(/^Api/, 'API');

/** The actions to choose from, in groups; all that the API knows. */
export const auditActions: { kind: string; actions: readonly (Offered & AuditAction)[] }[] = Object.entries(
  verbs,
).map(([kind, of]) => ({
  kind: kindWord(kind),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of a name, put together
  actions: of.map((verb) => `${kind}.${verb}` as Offered),
}));

/** What is said of an event beside who, what and when: the reason that a person gave first. */
export function detailsOf({ details, count }: Pick<AuditEvent, 'details' | 'count'>): string[] {
  const { reason, role, scope, hint, user_id, status, operation, source_address, credential } = details;
  return [
    reason,
    role && roleWords[role],
    scope && (scope === 'tenant' ? 'for this tenant' : 'for the whole organization'),
    hint && `key ${hint}`,
    user_id && `user ${user_id}`,
    status === undefined ? undefined : `refused with ${status}`,
    operation,
    source_address && `from ${source_address}`,
    credential && `with ${credential}`,
    count > 1 ? `${count} times` : undefined,
  ].flatMap((each) => (each === undefined || each === '' ? [] : [each]));
}

const done: Record<string, string> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  redeploy: 'deployed again',
  interrupt: 'stopped',
  release_threads: 'threads moved on',
  read: 'read',
  test: 'tested',
  redeliver: 'event sent again',
  disable: 'turned off',
  exchange: 'exchanged',
  revoke: 'revoked',
  confirm: 'confirmed',
  deny: 'denied',
  remove: 'removed',
  request: 'requested',
  refuse: 'refused',
};

/** `Revision deployed again`, of `revision.redeploy`. */
export function actionWord(action: string): string {
  const [kind = '', verb = ''] = action.split('.');
  return `${kindWord(kind)} ${done[verb] ?? verb}`.trim();
}

/** An instant of the address as a field of local time shows it; empty for what is none. */
export function localTime(at: string): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return '';
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The instant of such a field; empty for an empty one. */
export const instantOf = (local: string): string =>
  Number.isNaN(Date.parse(local)) ? '' : new Date(local).toISOString();
