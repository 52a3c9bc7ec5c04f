import { type Client, createClient } from '../../client/client.ts';
import type { ClientOptions } from '../../client/request.ts';
import { VERSION_HEADER } from '../../contract/version.ts';
import type { Everywhere } from './command.ts';
import { type Access, accessOf, knownAddress } from './credentials.ts';
import { UsageError } from './ends.ts';
import { findLink, type Link } from './link.ts';
import { Output, plain } from './output.ts';
import { isNews } from './told.ts';
import type { World } from './world.ts';

/** What a command is given: the machine, where to print, and the installation, each found when it is first needed. */
export class Shell {
  readonly world: World;
  readonly output: Output;
  readonly #asked: Everywhere;
  #access: Access | undefined;
  #client: Client | undefined;
  #link: { found: Link | undefined } | undefined;
  #hasToldVersion = false;

  constructor(world: World, asked: Everywhere) {
    this.world = world;
    this.#asked = asked;
    this.output = new Output(world, asked);
  }

  /** Throws `UsageError` or `Ended` where no installation is known. */
  get access(): Access {
    return (this.#access ??= accessOf(this.world, this.#asked));
  }

  /** Where requests would go, whether there is a key for it or not. */
  get knownAddress(): string | undefined {
    return knownAddress(this.world, this.#asked);
  }

  /** Where the credential came from, once one was used. */
  get source(): string | undefined {
    return this.#access?.source;
  }

  get client(): Client {
    return (this.#client ??= this.makeClient({}));
  }

  /** A client of its own, for what must not be sent twice. */
  makeClient(more: Pick<ClientOptions, 'triesMax' | 'timeoutMilliseconds'>): Client {
    const { url, apiKey, tenantId } = this.access;
    return createClient({
      url,
      credentials: { apiKey, tenantId },
      headers: { 'User-Agent': `slipway/${this.world.version}` },
      fetch: this.world.fetch,
      onAnswer: ({ headers }) => this.#compareVersions(headers.get(VERSION_HEADER)),
      ...more,
    });
  }

  /** The folder's link to a deployment. Throws `Ended` when `slipway.json` is none. */
  get link(): Link | undefined {
    return (this.#link ??= { found: findLink(this.world.cwd) }).found;
  }

  #compareVersions(server: string | null): void {
    if (server === null || server === this.world.version || this.#hasToldVersion) return;
    this.#hasToldVersion = true;
    if (!isNews(this.world, this.access.url, server)) return;
    this.output.say(
      `${this.access.url} runs Slipway ${server}, this program is ${this.world.version}: slipway upgrade gets the one for it.`,
      'dim',
    );
  }

  /** Whether somebody is there to answer a question. */
  get canAsk(): boolean {
    return this.world.stdin.isTerminal && this.world.stderr.isTerminal;
  }

  /** Goes on only when the answer is yes, or `isYes` has said so. Throws `UsageError` where nobody can be asked. */
  async confirm(question: string, isYes: boolean | undefined): Promise<void> {
    if (isYes === true) return;
    if (!this.canAsk) throw new UsageError(`${question} Nobody is there to answer: -y says yes.`);
    const answer = await this.world.stdin.line(`${plain(question)} [y/N] `);
    if (answer === undefined || !/^\s*y(?:es)?\s*$/i.test(answer)) throw new UsageError('Nothing was done.');
  }

  /** As `confirm`, for what cannot be undone: the name has to be typed. */
  async confirmName(question: string, name: string, isYes: boolean | undefined): Promise<void> {
    if (isYes === true) return;
    if (!this.canAsk) throw new UsageError(`${question} Nobody is there to answer: -y says yes.`);
    const answer = await this.world.stdin.line(`${plain(question)} Type its name to go on: `);
    if (answer?.trim() !== name) throw new UsageError(`That is not '${name}'. Nothing was done.`);
  }
}
