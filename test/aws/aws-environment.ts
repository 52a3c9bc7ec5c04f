/** The region and the credentials of the emulator's root user, for clients and for the CDK CLI. */
export const awsEnvironment = {
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
} as const;

/** What a client of any service needs to reach the emulator. */
export const clientConfig = ({ endpoint }: { endpoint: string }) => ({
  endpoint,
  region: awsEnvironment.AWS_REGION,
  credentials: {
    accessKeyId: awsEnvironment.AWS_ACCESS_KEY_ID,
    secretAccessKey: awsEnvironment.AWS_SECRET_ACCESS_KEY,
  },
});
