/** A request to a deployment's server, as a person has put it together. */
export type ServerRequest = {
  /** The server's own address, as its listener reports it. */
  serverUrl: string;
  method: string;
  /** What follows that address. */
  path: string;
  headers: readonly { name: string; value: string }[];
  body: string | undefined;
};

export type ServerAnswer = {
  status: number;
  headers: Record<string, string>;
  /** As it comes. It fails when the answer is longer, or takes longer, than one may. */
  body: ReadableStream<Uint8Array>;
};

/**
 * Passes requests on to servers that run on this very machine. It throws `unavailable` when the server does
 * not answer; `elsewhere`: the address is none of this machine's servers, or the path leads out of it.
 */
export type ServerCaller = (request: ServerRequest) => Promise<ServerAnswer | 'elsewhere'>;
