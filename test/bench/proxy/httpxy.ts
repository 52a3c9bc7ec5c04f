import { Agent, createServer } from 'node:http';
import { createProxyServer } from 'httpxy';
import { tellPort } from './tell-port.ts';

// A proxy of the library of that name, which keeps its connections too.
const proxy = createProxyServer({
  target: `http://127.0.0.1:${process.argv[2]}`,
  agent: new Agent({ keepAlive: true }),
  xfwd: true,
});
tellPort(createServer((request, response) => proxy.web(request, response)));
