import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Only names in signatures: dynoxide is reached over the loopback interface and checks no credentials. */
const REGION = 'us-east-1';
const credentials = { accessKeyId: 'embedded', secretAccessKey: 'embedded' };

/** With the SDK's backoff so many attempts go on for seconds: longer than a crashed dynoxide needs to come back. */
const ATTEMPTS_MAX = 8;

const clientConfig = (endpoint: string) => ({
  endpoint,
  region: REGION,
  credentials,
  maxAttempts: ATTEMPTS_MAX,
});

export function streamsClient(endpoint: string): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient(clientConfig(endpoint));
}

/** The document client as the AWS composition root makes it, for another endpoint. */
export function documentClient(endpoint: string): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(endpoint)), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
