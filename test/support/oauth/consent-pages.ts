/** A browser's cookies at one host. */
class Cookies {
  readonly #values = new Map<string, string>();

  keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  header(): string {
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

const STEPS_MAX = 10;

/**
 * Goes through the pages of the provider at `url` as a browser that allows or denies what is asked, until it
 * is sent elsewhere; gives that address. Each call is a browser of its own.
 */
export async function consentAt(
  url: string,
  authorizationUrl: string,
  { accountId = 'alice', deny = false }: { accountId?: string; deny?: boolean } = {},
): Promise<URL> {
  const cookies = new Cookies();
  let at = new URL(authorizationUrl);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: cookies.header() },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    cookies.keep(response);
    form = undefined;
    const location = response.headers.get('location');
    const text = await response.text();
    if (location !== null) {
      at = new URL(location, at);
      if (at.origin !== url) return at;
    } else if (response.status === 200 && at.pathname.startsWith('/interaction/')) {
      form = new URLSearchParams({ account: accountId, decision: deny ? 'deny' : 'allow' });
    } else {
      throw new Error(`${at.pathname} answered ${response.status}: ${text.slice(0, 500)}`);
    }
  }
  throw new Error('the provider goes round in circles');
}
