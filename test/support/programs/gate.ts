/**
 * What waits for a gate, a file that the test writes when it has seen what it wants to see. However slow
 * the machine is, what stands behind the gate comes after that.
 */

/** A line of a shell script. */
export const waitInShell = (gate: string): string => `until [ -e '${gate}' ]; do sleep 0.2; done\n`;

/** A line of an ES module. */
export const waitInModule = (gate: string): string =>
  `while (!process.getBuiltinModule('node:fs').existsSync(${JSON.stringify(gate)}))
  await new Promise((go) => setTimeout(go, 50));\n`;
