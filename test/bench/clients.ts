import type { Access } from '../../lib/contract/access.ts';
import { functionRows, managingRows } from '../../lib/contract/functions.ts';
import { routes } from '../../lib/contract/routes/index.ts';

/** The service behind each part of the access words. */
const services: Record<string, string[]> = {
  table: ['DynamoDB'],
  due: ['DynamoDB'],
  keys: ['KMS'],
  uploads: ['S3'],
  artifacts: ['S3'],
  jobs: ['S3'],
  executions: ['Step Functions'],
  tasks: ['Step Functions'],
  builds: ['CodeBuild', 'S3'],
  deliveries: ['Lambda'],
  heads: ['Lambda'],
  doorbell: ['Lambda'],
  sockets: ['API Gateway'],
  driver: ['Lambda'],
  images: ['ECR'],
  repositories: ['ECR', 'STS'],
  registry: ['ECR', 'STS'],
  networks: ['EC2'],
};

/** What the function behind a handler may do; nothing for the one that takes what no route takes. */
export function accessOf(handler: string): readonly Access[] {
  const rows = [...routes, ...Object.values({ ...functionRows, ...managingRows })];
  return rows.find((row) => row.handler === handler)?.access ?? [];
}

/** The AWS clients in a function, by name: `DynamoDB, KMS`; `none` without any. */
export function clientsOf(access: readonly Access[]): string {
  const found = new Set(access.flatMap((word) => services[word.split(':')[0] ?? ''] ?? []));
  return found.size === 0 ? 'none' : [...found].toSorted().join(', ');
}
