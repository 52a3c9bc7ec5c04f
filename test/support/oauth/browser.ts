/** What a person sees in a browser, or where it would go on to. */
export type Seen = {
  status: number;
  text: string;
  headers: Headers;
  /** Where the answer leads; it is not followed. */
  location: string | undefined;
};

/** The hidden fields of a page's form. */
export function formOf(page: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const [, name = '', value = ''] of page.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)">/g,
  ))
    form.append(name, value);
  return form;
}

/** A browser without scripts: keeps cookies of one host, and posts the form of the page it is at. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  at = '';
  page = '';

  async open(
    url: string,
    init: { form?: URLSearchParams; headers?: Record<string, string> } = {},
  ): Promise<Seen> {
    // The gateway listens on one address only.
    const response = await fetch(url.replace('//localhost:', '//127.0.0.1:'), {
      redirect: 'manual',
      headers: { cookie: this.cookieHeader(), ...init.headers },
      ...(init.form !== undefined && { method: 'POST', body: init.form }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    this.at = url;
    this.page = text;
    const location = response.headers.get('location') ?? undefined;
    return { status: response.status, text, headers: response.headers, location };
  }

  /** Presses the button of the page. */
  press(): Promise<Seen> {
    const headers = { 'sec-fetch-site': 'same-origin' };
    return this.open(this.at, { form: formOf(this.page), headers });
  }

  cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
