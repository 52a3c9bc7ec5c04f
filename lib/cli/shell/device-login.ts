import { createClient } from '../../client/client.ts';
import type { Answer } from '../../client/endpoints.ts';
import { Refusal } from '../../client/refusal.ts';
import { pause } from '../../client/request.ts';
import { Ended } from './ends.ts';
import type { Shell } from './shell.ts';

export type Token = Answer<'POST /v2/device/token'>;

/** As RFC 8628 §3.5 has it. */
const SLOWER_BY_SECONDS = 5;
const NAME_LENGTH_MAX = 100;

/**
 * A key for an installation: shows a code, which a person who is signed in there types and confirms, and
 * waits for that. Throws `Ended` when it was denied or took too long.
 */
export async function logInByCode({ output, world }: Shell, url: string): Promise<Token> {
  const { signal, version, host } = world;
  const headers = { 'User-Agent': `slipway/${version}` };
  // Refused for their number, more requests mend nothing.
  const client = createClient({ url, credentials: {}, headers, fetch: world.fetch, triesMax: 1 });
  const name = `slipway ${version} on ${host.replaceAll(/[^\w.-]/g, '-')}`.slice(0, NAME_LENGTH_MAX);
  const begun = await client.ask('POST /v2/device/code', { body: { client_name: name } }, { signal });
  const page = begun.verification_uri;
  output.say(`Sign in at ${page} and type this code there:`);
  output.say(begun.user_code, 'bold');
  output.say(`The page says who asks: '${name}'.`, 'dim');
  // A command of the desktop decides by the scheme what to start.
  if (output.isLive && /^https?:\/\//.test(page)) await world.openBrowser(page);
  output.progress('Waiting for the code to be confirmed');
  for (let seconds = begun.interval; ; ) {
    await pause(seconds * 1000, signal);
    try {
      const body = { device_code: begun.device_code };
      return await client.ask('POST /v2/device/token', { body }, { signal });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'slow_down') seconds += SLOWER_BY_SECONDS;
      else if (error.code === 'access_denied') throw new Ended('The login was denied.');
      else if (error.code === 'expired_token')
        throw new Ended('Nobody has confirmed the code in time: slipway login shows another.');
      else if (error.code !== 'authorization_pending' && !error.isPassing) throw error;
    }
  }
}
