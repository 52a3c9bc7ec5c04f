import { resolve } from 'node:path';
import * as z from 'zod';
import type { OidcSettings } from '../adapters/identity-provider.ts';
import type { SignIn } from '../adapters/sign-in.ts';
import { hostNameOf } from '../serving/hosts.ts';
import type { TenantLimits } from '../settings/defaults.ts';
import { embeddedRows } from '../settings/embedded.ts';
import { limitsOf } from '../settings/installation.ts';
import { PORT } from '../settings/machine.ts';
import { type Row, schemasOf } from '../settings/row.ts';
import { variableOf } from '../settings/spelling.ts';
import { isIssuer } from '../settings/values.ts';

/** The environment is wrong; the message says which variable and what it may be. */
export class EnvironmentError extends Error {}

/** Each variable is a row in lib/settings/embedded.ts, whose names these are. */
const schema = z.object(schemasOf(embeddedRows));
type Values = z.output<typeof schema>;

export type RuntimeSettings = Omit<Values, 'agentsPort' | 'dataDir' | `oidc${string}` | `${string}Max`> & {
  /** Undefined: one that the run chooses. */
  agentsPort: number | undefined;
  /** Absolute. */
  dataFolder: string;
  /** Undefined: requests carry API keys only. */
  oidc: OidcSettings | undefined;
  /** Beside that one: whose tokens are exchanged for keys. */
  tokenIssuers: readonly string[];
  /** Undefined: people sign in to the console with keys alone. */
  signIn: SignIn;
  limits: TenantLimits;
};

/** The variable of each setting. */
const variables: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(embeddedRows).map(([name, row]: [string, Row]) => [name, variableOf(name, row)]),
);

/** Reads the environment. Throws EnvironmentError that names every wrong variable. */
export function readEnvironment(environment: NodeJS.ProcessEnv): RuntimeSettings {
  const given = Object.entries(variables).map(([name, variable]) => [name, environment[variable]]);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${variables[path.join('.')]} ${message}.`,
    );
    throw new EnvironmentError(problems.join('\n'));
  }
  const { data } = parsed;
  return {
    ...data,
    agentsPort: agentsPortOf(data.port, data.agentsPort),
    dataFolder: resolve(data.dataDir),
    oidc: oidcOf(data),
    tokenIssuers: data.oidcIssuers,
    signIn: signInOf(data),
    limits: limitsOf(data),
    publicHosts: [...data.publicHosts, ...hostOf(data.baseUrl)],
  };
}

/** The host of the address that clients use is one of the machine's names. */
function hostOf(address: string | undefined): string[] {
  const host = URL.parse(address ?? '')?.host;
  return host === undefined ? [] : [hostNameOf(host) ?? []].flat();
}

function oidcOf({ oidcIssuer: issuer, oidcAudience: audience }: Values): OidcSettings | undefined {
  if (issuer === undefined && audience === undefined) return undefined;
  if (issuer === undefined || audience === undefined)
    throw new EnvironmentError('SLIPWAY_OIDC_ISSUER and SLIPWAY_OIDC_AUDIENCE go together.');
  if (isIssuer(issuer)) return { issuer, audience };
  throw new EnvironmentError(
    `SLIPWAY_OIDC_ISSUER must be an https URL, or an http one of this machine, not '${issuer}'.`,
  );
}

function signInOf({ oidcIssuer: issuer, oidcAudience: audience, ...given }: Values): SignIn {
  const { oidcClientId: clientId, oidcTokenEndpoint: tokenEndpoint } = given;
  if (clientId === undefined) return undefined;
  if (issuer === undefined || audience === undefined)
    throw new EnvironmentError('SLIPWAY_OIDC_CLIENT_ID goes with SLIPWAY_OIDC_ISSUER.');
  return { issuer, clientId, audience, tokenEndpoint };
}

function agentsPortOf(apiPort: number, asked: number | undefined): number | undefined {
  if (asked !== undefined) return asked === 0 ? undefined : asked;
  return apiPort === 0 || apiPort === PORT.max ? undefined : apiPort + 1;
}
