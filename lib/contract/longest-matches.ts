const ROOT = 0;

/**
 * Finds many forms in one pass over a text (Aho and Corasick, 1975): a tree of all forms, in which each node
 * also points to the longest of its endings that begins a form. A text is read byte by byte, whatever the
 * forms are, and each step that goes back was gained by one before.
 *
 * At each place only the longest form that ends there is given. Packages report all of them: for forms inside
 * each other that is the text times the forms.
 *
 * The tree is made level by level of forms in their order. So the children of a node lie side by side, in the
 * order of their bytes, and 13 bytes hold a node.
 */
export class LongestMatches {
  /** The nodes without the root are at most as many as the forms have bytes. */
  readonly nodes: number;
  readonly sizeBytes: number;
  /** The children of a node are those from this one to that of the next node. */
  readonly #firstChild: Int32Array;
  readonly #byte: Uint8Array;
  readonly #fallback: Int32Array;
  /** The length of the longest form that ends here, 0 if none does. */
  readonly #longest: Int32Array;

  constructor(forms: readonly Uint8Array[]) {
    const room = forms.reduce((sum, { length }) => sum + length, 2);
    this.#firstChild = new Int32Array(room);
    this.#byte = new Uint8Array(room);
    this.#fallback = new Int32Array(room);
    this.#longest = new Int32Array(room);
    this.nodes = this.#grow(forms.filter(({ length }) => length > 0).toSorted(Buffer.compare));
    this.sizeBytes = room * (3 * Int32Array.BYTES_PER_ELEMENT + 1);
  }

  /**
   * Tells of each place in the text at which a form ends where the longest of them begins. Returns how many
   * bytes at the end of the text begin a form, the most of them.
   */
  find(text: Uint8Array, found: (start: number, end: number) => void): number {
    let node = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      node = this.#next(node, text[at] ?? 0);
      const length = this.#longest[node] ?? 0;
      if (length > 0) found(at + 1 - length, at + 1);
    }
    return this.#depthOf(node);
  }

  /** Levels lie one after the other, and where one ends are the first children of the one before. */
  #depthOf(node: number): number {
    let depth = 0;
    for (let end = 1; node >= end; end = this.#firstChild[end] ?? 0) depth += 1;
    return depth;
  }

  /** Returns how many nodes there are now. */
  #grow(sorted: readonly Uint8Array[]): number {
    let count = 1;
    let level = 0;
    let growing = sorted.map((form) => ({ form, node: ROOT }));
    for (let depth = 0; growing.length > 0; depth += 1) {
      const end = count;
      for (const one of growing) {
        const byte = one.form[depth] ?? 0;
        const isNew = level <= one.node || this.#byte[count - 1] !== byte;
        while (level <= one.node) this.#firstChild[level++] = count;
        if (isNew) this.#add(count++, one.node, byte);
        one.node = count - 1;
        if (one.form.length === depth + 1) this.#longest[one.node] = depth + 1;
      }
      while (level < end) this.#firstChild[level++] = count;
      growing = growing.filter(({ form }) => form.length > depth + 1);
    }
    this.#firstChild.fill(count, level);
    return count;
  }

  /** All nodes nearer to the root have their children, and those as near as this one are no ending of it. */
  #add(node: number, parent: number, byte: number): void {
    this.#byte[node] = byte;
    const fallback = parent === ROOT ? ROOT : this.#next(this.#fallback[parent] ?? ROOT, byte);
    this.#fallback[node] = fallback;
    this.#longest[node] = this.#longest[fallback] ?? 0;
  }

  #next(from: number, byte: number): number {
    for (let node = from; ; node = this.#fallback[node] ?? ROOT) {
      const child = this.#childOf(node, byte);
      if (child !== ROOT || node === ROOT) return child;
    }
  }

  /** The root, which is nobody's child, if there is none. */
  #childOf(node: number, byte: number): number {
    let low = this.#firstChild[node] ?? 0;
    let high = (this.#firstChild[node + 1] ?? 0) - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.#byte[middle] ?? 0;
      if (found === byte) return middle;
      if (found < byte) low = middle + 1;
      else high = middle - 1;
    }
    return ROOT;
  }
}
