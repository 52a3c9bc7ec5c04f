/**
 * Permissions, each `<function> <action>`, that are taken away one at a time to see that a deployment then
 * fails.
 */
export const mutations = [
  'create-deployment dynamodb:PutItem',
  'get-deployment dynamodb:GetItem',
  'patch-deployment kms:GenerateDataKey',
  'claim-tasks s3:GetObject',
  'build sts:AssumeRole',
  'build codebuild:StartBuild',
  'dispatch states:StartExecution',
  'build-changed ecr:DescribeImages',
  'ingest-logs kms:Decrypt',
  'sweep dynamodb:Query',
] as const;
