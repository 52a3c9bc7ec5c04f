import { showSignIn } from '../../../lib/app/console/sign-in.ts';
import { signIn } from '../../../lib/container.ts';
import { getSignIn as row } from '../../../lib/contract/routes/console.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, showSignIn);
export const handler = create(() => ({ signIn: signIn() }));
