/**
 * What AWS charges, in US dollars, region us-east-1, without free tiers and discounts: list prices as noted
 * in November 2026, not fetched by a program. The page of each, under https://aws.amazon.com/<page>/pricing/,
 * is named: look there before you build a budget on them.
 */
export const prices = {
  /** step-functions: Standard workflows, each state transition. */
  transition: 0.025 / 1_000,
  /** lambda: each request; each GB-second on Arm (first tier). */
  functionRequest: 0.2 / 1e6,
  functionGbSecond: 0.0000133334,
  /** api-gateway: HTTP API, each request (first tier). */
  apiRequest: 1 / 1e6,
  /** api-gateway: WebSocket API, each message (begun 32 KB, first tier); each minute of a connection. */
  socketMessage: 1 / 1e6,
  socketMinute: 0.25 / 1e6,
  /** dynamodb (on demand): Standard table class. */
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  tableGbMonth: 0.25,
  recoveryGbMonth: 0.2,
  /**
   * cloudwatch: Logs, collected (Standard class) and kept; an alarm pays for each metric it looks at; a
   * dashboard beyond the three of an account that are free.
   */
  logGb: 0.5,
  logGbMonth: 0.03,
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
  /** kms: a key, each of its first two yearly rotations from then on, and each request. */
  keyMonth: 1,
  keyRotationMonth: 1,
  keyRequest: 0.03 / 10_000,
  /** s3: PUT and GET requests, storage (Standard). */
  put: 0.005 / 1_000,
  get: 0.0004 / 1_000,
  bucketGbMonth: 0.023,
  /** eventbridge: each event of one's own. */
  event: 1 / 1e6,
  /** codebuild: each begun minute of `pricedComputeType` on x86. Of one on Arm: as noted not more, check. */
  buildMinute: 0.005,
  /** ecr: private repositories, storage. */
  imageGbMonth: 0.1,
  /** fargate: a CPU and a GB of memory of a server on Linux/x86, each hour. */
  serverCpuHour: 0.04048,
  serverGbHour: 0.004445,
  /** The same on Linux/Arm. */
  armCpuHour: 0.03238,
  armGbHour: 0.00356,
  /** elasticloadbalancing: an Application Load Balancer, each hour, without its capacity units. */
  balancerHour: 0.0225,
  /** vpc: a public IPv4 address and a NAT gateway, each hour. */
  addressHour: 0.005,
  natHour: 0.045,
  /** secrets-manager: a secret. */
  secretMonth: 0.4,
  /** ec2/on-demand, "Data transfer": out to the internet, first tier. The price is that of every service. */
  transferGb: 0.09,
} as const;

/** What `buildMinute` is the price of; a test compares it with the project. */
export const pricedComputeType = 'BUILD_GENERAL1_SMALL';
