import { clock, table, tokenIssuers } from '../../../lib/container.ts';
import { exchangeToken } from '../../../lib/features/token-rules/exchange.ts';
import { exchangeToken as row } from '../../../lib/features/token-rules/routes.ts';
import { formEndpoint } from '../../../lib/http/endpoint.ts';

export const create = formEndpoint(row, exchangeToken);
export const handler = create(() => ({ table: table(), clock, tokenIssuers: tokenIssuers() }));
