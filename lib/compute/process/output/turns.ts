import type { ToReader } from './messages.ts';

/** What is read of one program until it is the turn of the next: a few milliseconds of work. */
const TURN_COST = 16 * 1024;
/** What a line costs beside its bytes, whose cost is 1 each: an empty one takes about as long as these. */
const LINE_COST = 16;
/** When all shall end, what has not been read so much later is lost. */
const CLOSE_MILLISECONDS = 1_000;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

type OfSource = Extract<ToReader, { id: number }>;

/**
 * Has the output of programs read in turns: one that prints more than can be read, or many empty lines, must
 * not hold up the end of the others. All of one program keeps its order.
 */
export class Turns {
  readonly #read: (message: ToReader) => void;
  readonly #closeMilliseconds: number;
  /** What waits to be read of each program, the one whose turn is next first. */
  readonly #waiting = new Map<number, OfSource[]>();
  #isGoingOn = false;
  #closesBy: number | undefined;

  constructor(read: (message: ToReader) => void, closeMilliseconds = CLOSE_MILLISECONDS) {
    this.#read = read;
    this.#closeMilliseconds = closeMilliseconds;
  }

  hear(message: ToReader): void {
    if (message.kind === 'taken') return this.#read(message);
    if (message.kind === 'close') this.#closesBy = performance.now() + this.#closeMilliseconds;
    else this.#wait(message);
    this.#goOn();
  }

  #wait(message: OfSource): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) this.#waiting.set(message.id, [message]);
    else waiting.push(message);
  }

  #goOn(): void {
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    // Not at once: what is told meanwhile has its turn too.
    setImmediate(() => {
      this.#isGoingOn = false;
      this.#turn();
    });
  }

  #turn(): void {
    const [first] = this.#waiting;
    if (first === undefined || performance.now() >= (this.#closesBy ?? Number.POSITIVE_INFINITY)) {
      if (this.#closesBy !== undefined) this.#read({ kind: 'close' });
      return;
    }
    const [id, messages] = first;
    const rest = this.#readSome(messages);
    this.#waiting.delete(id);
    if (rest.length > 0) this.#waiting.set(id, rest);
    this.#goOn();
  }

  /** Reads as much as a turn has room for, and gives the rest. */
  #readSome(messages: readonly OfSource[]): OfSource[] {
    let room = TURN_COST;
    for (const [at, message] of messages.entries()) {
      if (room <= 0) return messages.slice(at);
      room -= LINE_COST;
      if (message.kind !== 'bytes') {
        this.#read(message);
        continue;
      }
      const { end, cost } = portionOf(message.bytes, room);
      room -= cost;
      this.#read({ ...message, bytes: message.bytes.subarray(0, end) });
      if (end < message.bytes.length)
        return [{ ...message, bytes: message.bytes.subarray(end) }, ...messages.slice(at + 1)];
    }
    return [];
  }
}

/** How many of these bytes there is room for, one at least, and what they cost. */
function portionOf(bytes: Uint8Array, room: number): { end: number; cost: number } {
  let cost = 0;
  let end = 0;
  do {
    const byte = bytes[end];
    cost += byte === NEWLINE || byte === RETURN ? 1 + LINE_COST : 1;
    end += 1;
  } while (end < bytes.length && cost < room);
  return { end, cost };
}
