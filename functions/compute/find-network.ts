import { findInNetwork } from '../../lib/app/network/find.ts';
import { networks } from '../../lib/container.ts';
import { customResource } from '../../lib/triggers/custom-resource.ts';

export const create = customResource(findInNetwork);
export const handler = create(() => ({ networks: networks() }));
