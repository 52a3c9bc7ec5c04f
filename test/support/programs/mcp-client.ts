import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Uv } from './uv.ts';

const client = fileURLToPath(new URL('../../../examples/mcp-server/client.py', import.meta.url));
const run = promisify(execFile);

/** Calls a tool of the server at the address, which takes a `text`, and gives the text of its answer. */
export type CallTool = (address: string, tool: string, text: string) => Promise<string>;

/** The official client of Python, in a virtual environment that uv makes in the folder. */
export async function installMcpClient({ program: uv }: Uv, folder: string): Promise<CallTool> {
  const python = join(folder, 'client/bin/python');
  await run(uv, ['venv', '--quiet', '--python', 'python3', join(folder, 'client')]);
  await run(uv, ['pip', 'install', '--quiet', '--python', python, 'mcp>=2.3,<3']);
  return async (address, tool, text) => (await run(python, [client, address, tool, text])).stdout.trim();
}
