import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import type { Program } from '../programs/program.ts';

export type Raw = { status: number; headers: IncomingHttpHeaders; text: string };
export type Ask = { method?: string; path: string; headers?: Record<string, string>; body?: string | object };

/** One request exactly as given; without an `x-api-key` of its own it carries the program's. */
export function send(program: Program, { method = 'GET', path, headers = {}, body }: Ask): Promise<Raw> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const all = {
    'x-api-key': program.apiKey,
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 'none'));
  const { port } = new URL(program.baseUrl);
  return new Promise((resolve, reject) => {
    const sending = request({ hostname: '127.0.0.1', port, path, method, headers: sent }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk) => (answer += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer }),
      );
    });
    sending.on('error', reject).end(text);
  });
}

/**
 * Sends bytes as they are, and gives what comes back until the other side closes; with `end` this side closes
 * first.
 */
export function sendBytes(program: Program, bytes: string, then?: 'end'): Promise<string> {
  const { port } = new URL(program.baseUrl);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => {
      if (then === 'end') socket.end(bytes);
      else socket.write(bytes);
    });
    socket.setEncoding('utf8').on('data', (chunk) => (answer += String(chunk)));
    // A reset is one way to close a broken connection.
    socket.on('error', () => resolve(answer));
    socket.on('close', () => resolve(answer));
  });
}

/**
 * Sends these lines as they are, and gives what comes back until the other side hangs up or `enough` says so.
 */
export async function sendLines(
  port: number,
  lines: readonly string[],
  enough: (text: string) => boolean = (text) => /\r\n\r\n[^]/.test(text),
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(lines.join('\r\n'));
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (enough(text)) break;
  }
  socket.destroy();
  return text;
}
