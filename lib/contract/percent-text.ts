const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** Bytes that a text stands for. `starts`: where each begins in the text, and last where the text ends. */
export type DecodedText = { bytes: Uint8Array; starts(): Int32Array };

/**
 * What a text (in UTF-8) means where it is percent-encoded, in whatever style: in addresses `+` is itself, in
 * forms it is a space. What is no escape stays as it is. Empty for a text that has neither.
 */
export function percentDecoded(text: Uint8Array): DecodedText[] {
  const ways = text.includes(PERCENT) ? [decode(text, PLUS)] : [];
  return text.includes(PLUS) ? [...ways, decode(text, SPACE)] : ways;
}

function decode(text: Uint8Array, plus: number): DecodedText {
  const bytes = new Uint8Array(text.length);
  const length = walk(text, (at, byte, from) => {
    bytes[at] = byte === PLUS && text[from] === PLUS ? plus : byte;
  });
  return {
    bytes: bytes.subarray(0, length),
    starts() {
      const starts = new Int32Array(length + 1);
      walk(text, (at, _, from) => {
        starts[at] = from;
      });
      starts[length] = text.length;
      return starts;
    },
  };
}

/** Returns how many bytes the text stands for. */
function walk(text: Uint8Array, each: (at: number, byte: number, from: number) => void): number {
  let length = 0;
  for (let from = 0; from < text.length; length += 1) {
    const byte = text[from] ?? 0;
    const escaped = byte === PERCENT ? escapedByte(text, from) : undefined;
    each(length, escaped ?? byte, from);
    from += escaped === undefined ? 1 : 3;
  }
  return length;
}

function escapedByte(text: Uint8Array, at: number): number | undefined {
  const [high, low] = [digitOf(text[at + 1]), digitOf(text[at + 2])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

/** The value of a hexadecimal digit in ASCII. */
function digitOf(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  // Of letters, bit 5 alone tells the small from the capital ones.
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : undefined;
}
