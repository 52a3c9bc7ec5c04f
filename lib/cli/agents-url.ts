import { type LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';

/**
 * Where agents answer that the installation on this table runs itself, as its driver knows it: `https://` and
 * a host. undefined: it runs none.
 */
export async function agentsUrlOf(lambda: LambdaClient, tableName: string): Promise<string | undefined> {
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    const variables = Functions.map(({ Environment }) => Environment?.Variables ?? {});
    const found = variables.find((one) => one.TABLE_NAME === tableName && one.AGENTS_URL !== undefined);
    if (found !== undefined) return found.AGENTS_URL;
  }
  return undefined;
}
