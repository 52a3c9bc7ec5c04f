import { networks } from '../../lib/container.ts';
import { findInNetwork } from '../../lib/features/network/find.ts';
import { customResource } from '../../lib/triggers/custom-resource.ts';

export const create = customResource(findInNetwork);
export const handler = create(() => ({ networks: networks() }));
