import { createRequire } from 'node:module';

/** Where the table comes from: a dynoxide that we start, or any DynamoDB endpoint that somebody else runs. */
export type DynamoDbSource = { kind: 'binary'; path: string } | { kind: 'endpoint'; url: string };

type Resolve = (specifier: string) => string;

const require = createRequire(import.meta.url);

/**
 * The dynoxide of this platform (an optional dependency), else the endpoint in AWS_ENDPOINT_URL_DYNAMODB.
 * Throws an Error that says what to install when there is neither.
 */
export function findDynamoDb(
  environment: NodeJS.ProcessEnv,
  platform = `${process.platform}-${process.arch}`,
  resolve: Resolve = require.resolve,
): DynamoDbSource {
  const name = `@dynoxide/${platform}`;
  const path = resolveFile(resolve, `${name}/dynoxide${platform.startsWith('win32') ? '.exe' : ''}`);
  if (path !== undefined) return { kind: 'binary', path };
  const url = environment.AWS_ENDPOINT_URL_DYNAMODB;
  if (url !== undefined && url !== '') return { kind: 'endpoint', url };
  throw new Error(
    `The database is missing: there is no dynoxide for ${platform} in node_modules. Install it with 'npm install --no-save ${name}', ` +
      'or set AWS_ENDPOINT_URL_DYNAMODB to the address of a DynamoDB (with streams) that runs elsewhere.',
  );
}

function resolveFile(resolve: Resolve, specifier: string): string | undefined {
  try {
    return resolve(specifier);
  } catch {
    return undefined; // Not installed on this platform.
  }
}
