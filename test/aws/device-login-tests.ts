import { expect, it } from 'vitest';
import { api, expectApi } from '../support/programs/program.ts';
import type { Tour } from './tour.ts';

type Begun = { device_code: string; user_code: string };

/** How a program is let in, and turned away, with a code that a person confirms. */
export function deviceLoginTests(at: () => Tour): void {
  it('lets a program in with a code that a person confirms, until the program ends it', async () => {
    const { slipway } = at();
    const nobody = { ...slipway, apiKey: '' };
    const ask = <T>(path: string, body: object, status = 200) =>
      expectApi<T>(slipway, 'POST', `/v2/device/${path}`, body, status);
    const begin = () =>
      expectApi<Begun>(nobody, 'POST', '/v2/device/code', { client_name: 'slipway on laptop' }, 200);
    const fetchKey = ({ device_code }: Begun) => api(nobody, 'POST', '/v2/device/token', { device_code });
    const begun = await begin();
    expect(await fetchKey(begun)).toMatchObject({ body: { code: 'authorization_pending' } });
    const typed = { user_code: begun.user_code };
    expect(await ask('lookup', typed)).toMatchObject({ client_name: 'slipway on laptop' });
    expect(await ask('confirm', typed)).toMatchObject({ role: 'developer' });
    const { status, body } = await fetchKey(begun);
    expect([status, body]).toEqual([200, expect.objectContaining({ role: 'developer' })]);
    const { access_token: apiKey } = body as { access_token: string }; // as docs/openapi.json has it
    const program = { ...slipway, apiKey };
    expect(await api(program, 'GET', '/v2/deployments')).toMatchObject({ status: 200 });
    await expectApi(program, 'DELETE', '/v2/device/token', undefined, 204);
    expect(await api(program, 'GET', '/v2/deployments')).toMatchObject({ status: 401 });
    const other = await begin();
    await ask('deny', { user_code: other.user_code }, 204);
    expect(await fetchKey(other)).toMatchObject({ body: { code: 'access_denied' } });
  });
}
