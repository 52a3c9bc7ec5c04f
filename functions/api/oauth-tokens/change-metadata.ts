import { changeTokenMetadata } from '../../../lib/app/oauth/tokens/change-metadata.ts';
import { clock, table } from '../../../lib/container.ts';
import { changeTokenMetadata as row } from '../../../lib/contract/routes/oauth-tokens.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, changeTokenMetadata);
export const handler = create(() => ({ table: table(), clock }));
