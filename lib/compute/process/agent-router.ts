import { writeFileSync } from 'node:fs';

/**
 * What the server of an agent in JavaScript gets as its router: the router of its own, but that what it adds
 * below `/internal/` for its development is left out. The address of this module says in `router` where that
 * is, and in `mark` which file says that such a route has been left out.
 */
const { searchParams } = new URL(import.meta.url);

type Add = (path: unknown, ...handlers: unknown[]) => unknown;
type Router = { new (...options: unknown[]): { post: Add } };

// oxlint-disable-next-line typescript/no-unsafe-assignment -- a module of the agent's; what it exports is used as the server uses it
const own: { Hono: Router } = await import(searchParams.get('router') ?? '');

const isForDevelopment = (path: unknown): boolean =>
  typeof path === 'string' && path.startsWith('/internal/');

/** The router of the server, without its routes for development. */
export class Hono extends own.Hono {
  constructor(...options: unknown[]) {
    super(...options);
    const { post } = this;
    this.post = (path, ...handlers) => {
      if (!isForDevelopment(path)) return post(path, ...handlers);
      writeFileSync(searchParams.get('mark') ?? '', '');
      return this;
    };
  }
}
