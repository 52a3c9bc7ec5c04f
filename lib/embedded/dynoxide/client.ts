import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Only names in requests: dynoxide checks no credentials. */
const REGION = 'us-east-1';
const credentials = { accessKeyId: 'embedded', secretAccessKey: 'embedded' };
const headers = {
  authorization: `AWS4-HMAC-SHA256 Credential=embedded/20260101/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=unsigned`,
  'x-amz-date': '20260101T000000Z',
};

/**
 * A request must name a signature, which nobody checks: to make a real one is a tenth of what a request costs
 * us.
 */
const signer = {
  sign: async <Request extends { headers: Record<string, string> }>(request: Request): Promise<Request> => {
    Object.assign(request.headers, headers);
    return request;
  },
};

/**
 * With the SDK's backoff so many attempts go on for seconds: longer than a crashed dynoxide needs to come
 * back.
 */
const ATTEMPTS_MAX = 8;

const clientConfig = (endpoint: string) => ({
  endpoint,
  region: REGION,
  credentials,
  signer,
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
