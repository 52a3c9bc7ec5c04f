/** Resources with lines in the tables of an idle month, by their CloudFormation type. */
export const withLines = [
  'AWS::CloudWatch::Alarm',
  'AWS::DynamoDB::GlobalTable',
  'AWS::KMS::Key',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
];

/** The others, and why they are free in an idle month. A test compares both with the stacks. */
type Free = { what: string; why: string; types: string[] };

export const free: Free[] = [
  {
    what: 'HTTP API and its domain',
    why: 'paid by the request, its line in the access log included; public certificates are free',
    types: ['Api', 'ApiMapping', 'DomainName', 'Integration', 'Route', 'Stage'].map(
      (name) => `AWS::ApiGatewayV2::${name}`,
    ),
  },
  {
    what: 'functions',
    why: 'paid by the call; their code is within the 75 GB that an account may store',
    types: ['AWS::Lambda::Function', 'AWS::Lambda::Permission'],
  },
  { what: 'stream', why: 'reads by Lambda are free', types: ['AWS::Lambda::EventSourceMapping'] },
  { what: 'state machine', why: 'paid by the transition', types: ['AWS::StepFunctions::StateMachine'] },
  { what: 'project of builds', why: 'paid by the minute', types: ['AWS::CodeBuild::Project'] },
  { what: 'repositories of images', why: 'paid by what is in them; a scan on push is free', types: [] },
  {
    what: 'rules',
    why: 'schedules and events of AWS services are free; the functions that schedules call have lines',
    types: ['AWS::Events::Rule'],
  },
  { what: 'event bus', why: 'paid by the event that is put there', types: ['AWS::Events::EventBus'] },
  {
    what: 'subscriptions to logs',
    why: 'free to a function; what it is called for is a line of its own',
    types: ['AWS::Logs::SubscriptionFilter'],
  },
  {
    what: 'queue of what was set aside',
    why: 'paid by the request, and nothing polls it',
    types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
  },
  {
    what: 'topic of alarms',
    why: 'paid by the mail, and no alarm goes off',
    types: ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'AWS::SNS::Subscription'],
  },
  {
    what: 'dashboard',
    why: 'an account has three free',
    types: ['AWS::CloudWatch::Dashboard'],
  },
  { what: 'parameters', why: 'standard ones are free', types: ['AWS::SSM::Parameter'] },
  {
    what: 'access logs of buckets',
    why: 'delivery is free, and nothing asks the buckets',
    types: ['AWS::S3::BucketPolicy'],
  },
  {
    what: 'roles, stacks, the alias of the key',
    why: 'free',
    types: [
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::CloudFormation::Stack',
      'AWS::KMS::Alias',
      'Custom::S3AutoDeleteObjects',
    ],
  },
];
