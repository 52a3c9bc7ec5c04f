import { Refusal } from '../client/refusal.ts';
import { ApiError } from '../contract/errors.ts';
import type { InstallationPlace } from './options.ts';

/** Something is in the way, and the message says what helps; there is nothing wrong with the program. */
export class Obstacle extends Error {}

const SIGN_IN = 'Sign in (aws sso login, or aws configure), or set AWS_PROFILE, and try again.';

/** What the SDK's errors mean to who has typed the command, by their name. */
const meanings: Record<string, (table: string, region: string) => string> = {
  CredentialsProviderError: () => `No AWS credentials were found. ${SIGN_IN}`,
  ExpiredTokenException: () => `The AWS credentials have expired. ${SIGN_IN}`,
  UnrecognizedClientException: () => `AWS does not know these credentials. ${SIGN_IN}`,
  InvalidSignatureException: () => `AWS does not accept these credentials. ${SIGN_IN}`,
  ResourceNotFoundException: (table, region) =>
    `There is no table '${table}' ${region}. Use the stack's output TableName, and --region for another region.`,
  AccessDeniedException: (table) =>
    `These AWS credentials cannot write to '${table}': they need dynamodb:PutItem and dynamodb:GetItem on it.`,
  ValidationException: (table) => `'${table}' is not the table of a Slipway installation.`,
};

/** The plain reason of a failure; a stack only when it is nothing that could have been foreseen. */
export function explain(error: unknown, place: InstallationPlace | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Obstacle || error instanceof ApiError || error instanceof Refusal)
    return error.message;
  if (place === undefined) return error.stack ?? error.message;
  const [table, region] =
    place.kind === 'deployed'
      ? [place.tableName, place.region === undefined ? 'in this account and region' : `in ${place.region}`]
      : [place.dataFolder, 'there'];
  const meaning = meanings[error.name];
  if (meaning !== undefined) return meaning(table, region);
  if (error.message === 'Region is missing')
    return 'No AWS region is known. Say --region REGION, or set AWS_REGION.';
  if ('code' in error && typeof error.code === 'string')
    return `The database does not answer: ${error.code}. Is the network up, and the region right?`;
  return error.stack ?? error.message;
}
