import { type Given, withoutDefaults } from '../settings.ts';

/** A resource of a template that is deployed. */
export type DeployedResource = {
  Type: string;
  Properties?: Readonly<Record<string, unknown>>;
  DeletionPolicy?: string;
};

/** What can be said of settings by templates. */
type Found = {
  given: Given;
  /** They are set to what is no plain text in the template: somebody has to give them. */
  unreadable: string[];
};

type Pool = readonly DeployedResource[];

/**
 * Reads the settings of an installation from its templates: that of releases before settings were remembered.
 * Settings that are younger are always remembered, and not looked for here.
 */
export function settingsFromTemplates(environment: string, pool: Pool): Found {
  const found = Object.entries(places(environment)).map(([name, read]) => [name, read(pool)] as const);
  const plain = found.flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
  return {
    given: withoutDefaults(Object.fromEntries(plain)),
    unreadable: found
      .filter(([, value]) => typeof value === 'object' && value !== null)
      .map(([name]) => name),
  };
}

/** Where each setting shows itself. */
function places(environment: string): Record<string, (pool: Pool) => unknown> {
  const domain = first('AWS::ApiGatewayV2::DomainName');
  const stage = (name: string) => (pool: Pool) =>
    at(named(pool, 'StageName', '$default'), 'DefaultRouteSettings', name);
  return {
    removal: (pool) =>
      ofType(pool, 'AWS::S3::Bucket').some(({ DeletionPolicy }) => DeletionPolicy === 'Delete')
        ? 'destroy'
        : undefined,
    rateLimit: stage('ThrottlingRateLimit'),
    burstLimit: stage('ThrottlingBurstLimit'),
    engineConcurrency: (pool) =>
      at(named(pool, 'FunctionName', `slipway-${environment}-dispatch`), 'ReservedConcurrentExecutions'),
    logRetentionDays: (pool) =>
      at(named(pool, 'LogGroupName', `/slipway/${environment}/dispatch`), 'RetentionInDays'),
    ...Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, variableOf(variable)])),
    corsOrigins: (pool) =>
      joined(at(named(pool, 'ProtocolType', 'HTTP'), 'CorsConfiguration', 'AllowOrigins')),
    alarmEmail: (pool) => at(named(pool, 'Protocol', 'email'), 'Endpoint'),
    compute: (pool) => (ofType(pool, 'AWS::ECS::Cluster').length > 0 ? 'fargate' : undefined),
    agentNetwork: (pool) => (ofType(pool, 'AWS::EC2::NatGateway').length > 0 ? 'nat' : undefined),
    domainName: (pool) => at(domain(pool), 'DomainName'),
    certificateArn: (pool) => at(domain(pool), 'DomainNameConfigurations', '0', 'CertificateArn'),
    ...Object.fromEntries(adopted.map((name) => [name, adoptedName(environment, name)])),
  };
}

/** Settings that functions have as they are. */
const variables = {
  unclaimedSeconds: 'UNCLAIMED_SECONDS',
  silentSeconds: 'SILENT_SECONDS',
  buildSeconds: 'BUILD_SECONDS',
  keptArtifacts: 'KEPT_ARTIFACTS',
  auditDays: 'AUDIT_DAYS',
  keyDays: 'KEY_DAYS',
  deploymentsMax: 'DEPLOYMENTS_MAX',
  listenersMax: 'LISTENERS_MAX',
  webhooksMax: 'WEBHOOKS_MAX',
  integrationsMax: 'INTEGRATIONS_MAX',
  keysMax: 'KEYS_MAX',
  waitingRevisionsMax: 'WAITING_REVISIONS_MAX',
  buildsAtOnceMax: 'BUILDS_AT_ONCE_MAX',
  allowedHosts: 'ALLOWED_HOSTS',
  oidcIssuer: 'OIDC_ISSUER',
  oidcAudience: 'OIDC_AUDIENCE',
  oidcIssuers: 'OIDC_ISSUERS',
  oidcClientId: 'OIDC_CLIENT_ID',
  oidcTokenEndpoint: 'OIDC_TOKEN_ENDPOINT',
  agentRole: 'AGENTS_ROLE_ARN',
} as const;

/** What an installation works on without having made it: the data stack writes its name, not a reference. */
const adopted = ['tableName', 'tableStreamArn', 'keyArn', 'bucketName'] as const;

function adoptedName(environment: string, name: string) {
  return (pool: Pool): unknown => {
    const value = at(named(pool, 'Name', `/slipway/${environment}/data/${name}`), 'Value');
    return typeof value === 'string' ? value : undefined;
  };
}

const ofType = (pool: Pool, type: string): DeployedResource[] => pool.filter(({ Type }) => Type === type);

const first =
  (type: string) =>
  (pool: Pool): unknown =>
    ofType(pool, type)[0]?.Properties;

/** The properties of what is called so. */
const named = (pool: Pool, property: string, name: string): unknown =>
  pool.find(({ Properties }) => Properties?.[property] === name)?.Properties;

const variableOf = (variable: string) => (pool: Pool) =>
  ofType(pool, 'AWS::Lambda::Function')
    .map(({ Properties }) => at(Properties, 'Environment', 'Variables', variable))
    .find((value) => value !== undefined);

/** What lies at a path of a JSON value; undefined: nothing does. */
function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}

const joined = (value: unknown): unknown =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join(',') : value;
