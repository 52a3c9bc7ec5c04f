import type { ServerResponse } from 'node:http';
import { isEventStream, reasonPhrase, type Trying } from './attempt.ts';
import { consentOf } from './cross-origin.ts';
import { responseHeaders } from './headers.ts';

/** The head of what a server answers. `flat`: its headers as they came, name, value, name, value, … */
export type AnswerHead = { status: number; words: string | undefined; flat: readonly string[] };

/** The way of an answer's body to the client. */
export type TakenAnswer = {
  /** False: the client has enough to read for now. */
  write(part: Buffer): boolean;
  end(): void;
  /** The server has. Cut off on the one side is cut off on the other: half an answer must not pass for a whole one. */
  breakOff(): void;
};

/** Sends the head of an answer to the client, and counts it. */
export function passAnswer(trying: Trying, head: AnswerHead): TakenAnswer {
  const { request, response, exchange, to, target } = trying;
  const said = consentOf(request, head);
  if (said !== undefined) to.route.noteConsent(target, said.origin, said.consent);
  response.writeHead(head.status, reasonPhrase(head.words), responseHeaders(head, { request, to, target }));
  exchange.answered(head.status, isEventStream(head));
  sendTogether(response);
  // The head of a stream of events must not wait for the first of them.
  response.flushHeaders();
  return {
    write(part) {
      sendTogether(response);
      exchange.sent(part.length);
      return response.write(part);
    },
    end: () => response.end(),
    breakOff() {
      exchange.failed();
      response.destroy();
    },
  };
}

/** What is written until this process does something else leaves in one piece, and waits for nothing more. */
function sendTogether({ socket }: ServerResponse): void {
  // Its turn has not come where a client asks more than it waits for.
  if (socket === null || socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}
