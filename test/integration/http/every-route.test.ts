import { expect, it } from 'vitest';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import type { Access } from '../../../lib/contract/access.ts';
import { type ErrorCode, errors } from '../../../lib/contract/errors.ts';
import { errorCodesOf } from '../../../lib/contract/openapi/errors.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import { accessOf, type RouteRow, takesIdempotencyKey } from '../../../lib/contract/routes/route.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { limitedTable } from '../../support/table/limited-table.ts';
import { expectConfirmation, expectConsent } from '../../support/wire/consent.ts';
import {
  expectDeletions,
  expectDeployments,
  expectHosts,
  expectImages,
  expectReleases,
  expectServerAsked,
} from '../../support/wire/deployments.ts';
import { expectDeviceLogins } from '../../support/wire/device-login.ts';
import * as hindrances from '../../support/wire/hindrances.ts';
import { expectConsoleSessions, expectIdentity } from '../../support/wire/identity.ts';
import { expectIntegrations } from '../../support/wire/integrations.ts';
import { expectListener } from '../../support/wire/listener.ts';
import { expectProviders, expectTokens } from '../../support/wire/oauth.ts';
import * as refusals from '../../support/wire/refusals.ts';
import { expectRepositories } from '../../support/wire/repositories.ts';
import { expectService } from '../../support/wire/service.ts';
import { expectExchanges } from '../../support/wire/token-rules.ts';
import { expectWebhooks } from '../../support/wire/webhooks.ts';
import { open, openWithListener } from '../../support/wire/wired-world.ts';
import { AuditRecord, auditedActions } from '../../support/world/audit-record.ts';

/**
 * Knows beside the audit what each operation has done to the table. Each change under an Idempotency-Key is
 * made and then not answered, as if the process had died between the two.
 */
class RouteRecord extends AuditRecord {
  override readonly losesAnswers = true;
  readonly #used = new Map<string, Set<Access>>();

  /** What the endpoint behind `row` works with. */
  override depsOf(row: RouteRow, deps: Deps): Deps {
    const { operation } = row;
    const used = this.#used.get(operation) ?? new Set<Access>();
    this.#used.set(operation, used);
    const table = limitedTable(deps.table, accessOf(row), used, (writes) => {
      // An answer that is kept alone, after a change, would be missing if the process died in between: it is
      // not lost here.
      if (writes.length > 1 && writes.some(({ Put }) => Put?.Item?.entity === 'answer'))
        throw new Error('died after the change was made');
    });
    return { ...deps, table, logs: createTableLogs(table, deps.clock) };
  }

  /** What an operation has done to the table in all of its requests. */
  usedBy(operation: string): Set<Access> {
    return this.#used.get(operation) ?? new Set();
  }
}

type Flow = (record: RouteRecord) => Promise<void>;
const inTenant =
  (expectAll: (opened: Awaited<ReturnType<typeof open>>) => Promise<void>): Flow =>
  async (record) =>
    expectAll(await open(record));
const withListener =
  (expectAll: (opened: Awaited<ReturnType<typeof openWithListener>>) => Promise<void>): Flow =>
  async (record) =>
    expectAll(await openWithListener(record));

/** Each in a world of its own. Together they get every success and every refusal there is. */
const flows: Record<string, Flow> = {
  'deployments and revisions are made, shown, changed, stopped, run again and logged':
    withListener(expectDeployments),
  'threads that wait in a revision are let go': withListener(expectReleases),
  'a deployment lets go of its host by either way to a revision': withListener(expectHosts),
  'a request is passed on to a server of this machine': expectServerAsked,
  'a tarball is uploaded, and what is not needed any more is deleted': withListener(expectDeletions),
  'an image is pushed and pulled': async (record) =>
    expectImages(await open(record, { registryHost: 'registry.example' })),
  'a listener works': withListener(expectListener),
  'the service describes itself to everybody': expectService,
  'keys, members and tenants are made, listed and taken away': inTenant(expectIdentity),
  'a link signs in to the console once, and a session of it ends': inTenant(expectConsoleSessions),
  'a program is let in with a code that a person types, or turned away': inTenant(expectDeviceLogins),
  'a rule is made, and a token of a job is exchanged by it': async (record) => expectExchanges(record),
  'an integration is made, chosen from and forgotten, and who did what is listed':
    inTenant(expectIntegrations),
  'a repository is looked at before and while it is deployed': inTenant(expectRepositories),
  'a webhook is made, changed, tried and forgotten': withListener(expectWebhooks),
  'OAuth providers are made, found, listed, changed and forgotten': inTenant(expectProviders),
  'OAuth tokens are brought, listed, connected to agents, and deleted': inTenant(expectTokens),
  'a person consents in a browser, or at a front end of the caller’s own, and confirms where that is asked':
    async (record) => {
      await expectConsent(await open(record));
      await expectConfirmation(await open(record));
    },
  'a key that is not good, or not good enough, is refused': refusals.expectKeysRefused,
  'a person who is no member is refused': refusals.expectStrangersRefused,
  'what is not there is refused': refusals.expectMissing,
  'a request that cannot be read is refused': refusals.expectUnreadable,
  'what is wrong with a query is said to be there': refusals.expectBadQuery,
  'a request that contradicts itself or what is there is refused': refusals.expectContradictions,
  'what the state of things forbids is refused': refusals.expectForbidden,
  'what deployments use is kept': refusals.expectInUse,
  'what no route takes is refused': refusals.expectNoRoute,
  'a fault of ours is told by its request id alone': hindrances.expectFault,
  'what is being deleted takes no deployments': hindrances.expectClosing,
  'a full queue takes no more': hindrances.expectFullQueue,
  'a balancer without room takes no more agents': hindrances.expectFullCompute,
  'a log is followed by as many as may': hindrances.expectFollowers,
  'what never gets through to the table is told when to come again': hindrances.expectCollisions,
};

const begun = new Map<string, Promise<RouteRecord>>();

/** What a flow asked, with the audit of it. It runs once, for whichever test needs it first. */
function recordOf(title: string): Promise<RouteRecord> {
  const run = async (): Promise<RouteRecord> => {
    const record = new RouteRecord();
    await flows[title]?.(record);
    await record.settle();
    return record;
  };
  const record = begun.get(title) ?? run();
  begun.set(title, record);
  return record;
}

async function allRecords(): Promise<RouteRecord[]> {
  const records: RouteRecord[] = [];
  for (const title of Object.keys(flows)) records.push(await recordOf(title));
  return records;
}

const unionOf = (sets: ReadonlySet<string>[]): Set<string> => new Set(sets.flatMap((set) => [...set]));

it.each(Object.keys(flows))('%s', async (title) => {
  const { succeeded, refused } = await recordOf(title);
  expect(succeeded.size + refused.size).toBeGreaterThan(0);
});

it('every route succeeds', async () => {
  const succeeded = unionOf((await allRecords()).map((record) => record.succeeded));
  expect(routes.map(({ operation }) => operation).filter((operation) => !succeeded.has(operation))).toEqual(
    [],
  );
});

it('every route that changes or hands out something is in the audit, by its request id', async () => {
  const audited = unionOf((await allRecords()).map((record) => record.audited));
  const due = routes.flatMap(({ operation }) =>
    auditedActions(operation).map((action) => `${operation} ${action}`),
  );
  expect(due.length).toBeGreaterThan(30);
  expect(due.filter((each) => !audited.has(each))).toEqual([]);
});

it('every refusal is got, but that of the command line, which no route has', async () => {
  const refused = unionOf((await allRecords()).map((record) => record.refused));
  const codes = Object.keys(errors) as ErrorCode[];
  const missing = codes.filter((code) => !refused.has(code));
  expect(missing).toEqual(['tenant_not_found']);
  expect(routes.filter((row) => errorCodesOf(row).some((code) => missing.includes(code)))).toEqual([]);
});

it('every change under an Idempotency-Key is answered once more when its answer was lost', async () => {
  const answered = unionOf((await allRecords()).map((record) => record.answeredAgain));
  const keyed = routes.filter(takesIdempotencyKey).map(({ operation }) => operation);
  expect(keyed.length).toBeGreaterThan(15);
  expect(keyed.filter((operation) => !answered.has(operation))).toEqual([]);
});

it('every route has the access to the table that it uses, and no other', async () => {
  const records = await allRecords();
  const used = routes.map(({ operation }) => {
    const words = unionOf(records.map((record) => record.usedBy(operation)));
    return [operation, [...words].toSorted()];
  });
  const declared = routes.map(({ operation, access }) => [
    operation,
    access.filter((word) => /^(?:table|due):/.test(word)).toSorted(),
  ]);
  expect(Object.fromEntries(used)).toEqual(Object.fromEntries(declared));
});
