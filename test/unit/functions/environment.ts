/** What the infrastructure sets for functions, and no address that anything could reach. */
export const functionEnvironment = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  TABLE_NAME: 'table',
  STATE_MACHINE_ARN: 'arn:aws:states:eu-west-1:123456789012:stateMachine:revision',
  KEY_ID: 'key',
  BUCKET_NAME: 'bucket',
  JOBS_BUCKET_NAME: 'jobs',
  EVENT_BUS_NAME: 'bus',
  BUILD_PROJECT_NAME: 'project',
  BUILD_LOG_GROUP_NAME: 'builds',
  REGISTRY_HOST: 'registry.example',
  PUSH_ROLE_ARN: 'arn:aws:iam::123456789012:role/push',
  PULL_ROLE_ARN: 'arn:aws:iam::123456789012:role/pull',
} as const;
