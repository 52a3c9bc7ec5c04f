declare global {
  /** What ECMAScript 2025 has, and the types do not know yet. */
  interface JSON {
    /** A value that is written as this text. */
    rawJSON(text: string): unknown;
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * Parses JSON so that it is written again as it was: a number that would change, such as `9007199254740993`
 * or `1.0`, stays its text. What is no JSON is a text.
 */
export function exactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_, value, { source }) =>
      typeof value === 'number' && source !== undefined && String(value) !== source
        ? JSON.rawJSON(source)
        : value,
    );
  } catch {
    return text;
  }
}
