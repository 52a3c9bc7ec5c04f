import * as z from 'zod';
import { awsRows } from '../settings/aws.ts';
import { agentRows } from '../settings/aws-agents.ts';
import { installationDefaults } from '../settings/defaults.ts';
import { tenantLimits } from '../settings/installation.ts';
import { schemasOf } from '../settings/row.ts';
import { functionVariable, type Screaming } from '../settings/spelling.ts';
import { agentSettingsProblem, allowedCidrsProblem } from './agents/agent-settings.ts';

/**
 * What the context of the CDK may say: a row each in lib/settings/aws.ts. `-c name=value` on the command line
 * wins over `cdk.json`, and both win over what the installation remembers (lib/infra/remembered).
 */
const settings = z.object(schemasOf(awsRows)).superRefine(({ agentAllowedCidrs }, context) => {
  const problem = agentAllowedCidrs && allowedCidrsProblem(agentAllowedCidrs);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: problem, path: ['agentAllowedCidrs'] });
});
const names = Object.keys(awsRows);
export type Settings = z.output<typeof settings>;

/**
 * Settings by name as somebody gave them, without defaults and without `environment`, which names the
 * installation.
 */
export type Given = Readonly<Record<string, string>>;

/** Of the context, what is a setting. A value may be one that takes a setting back (see `changed`). */
export function givenIn(context: (name: string) => unknown): Given {
  const found = names.filter((name) => name !== 'environment').map((name) => [name, context(name)] as const);
  return Object.fromEntries(
    found
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Settings that mean nothing without another one: who takes that one back takes them back too. */
const companions: Readonly<Record<string, readonly string[]>> = {
  compute: Object.keys(agentRows),
  domainName: ['certificateArn'],
  oidcIssuer: ['oidcAudience', 'oidcClientId', 'oidcTokenEndpoint'],
  tableName: ['tableStreamArn'],
  agentVpcId: ['agentSubnets', 'balancerSubnets'],
  agentsDomain: ['agentsCertificateArn'],
};

/** `-c name=none` and `-c name=` take a setting back. */
const isTakenBack = (value: string): boolean => value === 'none' || value === '';

/** What holds once `given` has changed what was remembered: each that is not named stays as it was. */
export function changed(remembered: Given, given: Given): Given {
  const takenBack = Object.keys(given).filter((name) => isTakenBack(given[name] ?? ''));
  const gone = new Set(takenBack.flatMap((name) => [name, ...(companions[name] ?? [])]));
  const kept = Object.entries(remembered).filter(([name]) => !gone.has(name));
  const said = Object.entries(given).filter(([, value]) => !isTakenBack(value));
  return Object.fromEntries([...kept, ...said]);
}

/** Those that differ from their default, of some that were read from what is deployed. */
export function withoutDefaults(given: Given): Given {
  const defaults: Readonly<Record<string, unknown>> = settings.parse({});
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== '' && value !== String(defaults[name])),
  );
}

/** The settings of an environment (whatever the context says) that these were given for. */
export const settingsOf = (environment: unknown, given: Given): Settings =>
  readSettings((name) => (name === 'environment' ? environment : given[name]));

/** Reads the settings; throws an error that names each wrong one. */
export function readSettings(context: (name: string) => unknown): Settings {
  const given = Object.fromEntries(names.map((name) => [name, context(name)]));
  const parsed = settings.safeParse(given);
  if (!parsed.success) throw new Error(`settings: ${z.prettifyError(parsed.error)}`);
  const { domainName, certificateArn, oidcIssuer, oidcAudience, tableName, tableStreamArn } = parsed.data;
  if ((domainName === undefined) !== (certificateArn === undefined))
    throw new Error('settings: domainName and certificateArn go together');
  if ((oidcIssuer === undefined) !== (oidcAudience === undefined))
    throw new Error('settings: oidcIssuer and oidcAudience go together');
  if (parsed.data.oidcClientId !== undefined && oidcIssuer === undefined)
    throw new Error('settings: oidcClientId goes with oidcIssuer');
  if ((tableName === undefined) !== (tableStreamArn === undefined))
    throw new Error('settings: tableName and tableStreamArn go together');
  const problem = agentSettingsProblem(parsed.data);
  if (problem !== undefined) throw new Error(`settings: ${problem}`);
  return parsed.data;
}

/** Numbers that functions have as they are. */
const inFunctions = { ...installationDefaults, ...tenantLimits, buildsAtOnceMax: awsRows.buildsAtOnceMax };
type NumberVariables = { [Name in keyof typeof inFunctions as Screaming<Name>]: string };

/** The numbers among the settings, as variables of functions: `auditDays` is `AUDIT_DAYS`. */
export function numberVariables(given: Settings): NumberVariables {
  const values: Readonly<Record<string, unknown>> = given;
  const variables = Object.keys(inFunctions).map((name) => [functionVariable(name), String(values[name])]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of `inFunctions`, spelled as the type spells them
  return Object.fromEntries(variables) as NumberVariables;
}
