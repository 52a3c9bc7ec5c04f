import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Only names in signatures: dynoxide is reached over the loopback interface and checks no credentials. */
const REGION = 'us-east-1';
const credentials = { accessKeyId: 'embedded', secretAccessKey: 'embedded' };

/** With the SDK's backoff so many attempts go on for seconds: longer than a crashed dynoxide needs to come back. */
const ATTEMPTS_MAX = 8;

/** Settings for any SDK client that talks to the embedded database. */
export function clientConfig(endpoint: string): DynamoDBClientConfig {
  return { endpoint, region: REGION, credentials, maxAttempts: ATTEMPTS_MAX };
}

/** The document client as the AWS composition root makes it, for another endpoint. */
export function documentClient(endpoint: string): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(endpoint)), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
