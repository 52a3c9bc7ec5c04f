import { clock, table } from '../../../lib/container.ts';
import { changeTokenMetadata } from '../../../lib/features/oauth-tokens/change-metadata.ts';
import { changeTokenMetadata as row } from '../../../lib/features/oauth-tokens/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, changeTokenMetadata);
export const handler = create(() => ({ table: table(), clock }));
