import { signIn } from '../../../lib/container.ts';
import { getSignIn as row } from '../../../lib/features/console/routes.ts';
import { showSignIn } from '../../../lib/features/console/sign-in.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, showSignIn);
export const handler = create(() => ({ signIn: signIn() }));
