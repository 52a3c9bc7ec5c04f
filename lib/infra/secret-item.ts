import * as z from 'zod';

/** As Secrets Manager appends it to the name of each item in its ARN. */
const SUFFIX = '-??????';

/** A setting that names an item of Secrets Manager in the installation's account and region. */
export const secretItem = z
  .string()
  .regex(
    /^(?:[\w/+=.@-]{1,512}|arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6})$/,
    'the name of an item in Secrets Manager, or its whole ARN with the six characters at its end',
  );

/** What a policy says of such an item. `at`: an ARN in the account and region. */
export const secretItemArn = (item: string, at: (service: string, resource: string) => string): string =>
  item.startsWith('arn:') ? item : at('secretsmanager', `secret:${item}${SUFFIX}`);
