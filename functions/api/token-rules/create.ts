import { clock, table, tokenIssuers } from '../../../lib/container.ts';
import { createTokenRule } from '../../../lib/features/token-rules/create.ts';
import { createTokenRule as row } from '../../../lib/features/token-rules/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createTokenRule);
export const handler = create(() => ({ table: table(), clock, tokenIssuers: tokenIssuers() }));
