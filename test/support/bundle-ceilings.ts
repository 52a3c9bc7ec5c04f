import { accessOf, clientsOf } from '../bench/clients.ts';

/**
 * What a function's code may weigh at most, in KiB, minified, by the AWS clients in it. The first is a promise; the others are what they
 * weighed when they were written down and 3 %, so that growth is noticed: raise one only for something that is worth 16 ms of init per 100 KiB.
 */
const ceilingsKiB: Record<string, number> = {
  none: 150,
  // Single writes go without a transaction, at half the price: three more commands of the client.
  DynamoDB: 350,
  'DynamoDB, KMS': 400,
  // What is kept of artifacts is settled in the write that ends a revision, so whatever ends one sees the files.
  'DynamoDB, ECR, S3': 545,
  'DynamoDB, ECR, STS': 400,
  'DynamoDB, S3': 520,
  'DynamoDB, KMS, S3': 575,
  'CodeBuild, DynamoDB, ECR, S3': 580,
  'CodeBuild, DynamoDB, ECR, S3, Step Functions': 640,
  'CodeBuild, DynamoDB, ECR, KMS, S3, STS': 640,
};
/** It speaks git's own protocol, in JavaScript. */
const ownCeilingsKiB: Record<string, number> = { 'functions/tasks/revision/prepare.ts': 785 };

/** Less than this is no function, but a file that was not bundled. */
const FLOOR_KIB = 10;

/** The AWS clients in the function behind a handler, by name. */
export const kindOf = (handler: string): string => clientsOf(accessOf(handler));

/** Functions of one group are held to the same ceiling. */
export const ceilingGroup = (handler: string): string =>
  handler in ownCeilingsKiB ? handler : kindOf(handler);

/** Those of the weighed functions that weigh more than their kind may, or next to nothing, in words. `weights`: bytes by handler. */
export function misweighed(weights: ReadonlyMap<string, number>): string[] {
  return [...weights].flatMap(([handler, sizeBytes]) => {
    const kind = kindOf(handler);
    const ceiling = ownCeilingsKiB[handler] ?? ceilingsKiB[kind] ?? 0;
    const weight = sizeBytes / 1024;
    if (weight > FLOOR_KIB && weight <= ceiling) return [];
    return [`${handler} weighs ${weight.toFixed(1)} KiB, with ${kind} at most ${ceiling}`];
  });
}

/** The ceilings that are for none of these handlers. */
export function unusedCeilings(handlers: readonly string[]): string[] {
  const kinds = new Set(handlers.map(kindOf));
  return [
    ...Object.keys(ceilingsKiB).filter((kind) => !kinds.has(kind)),
    ...Object.keys(ownCeilingsKiB).filter((handler) => !handlers.includes(handler)),
  ];
}
