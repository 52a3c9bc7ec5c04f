import { beforeAll, describe, expect, it } from 'vitest';
import { toolsOn } from '../../../lib/builds/project.ts';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { completionOf, deploy, helloTarball, specOf, tarballOf } from './listener-program.ts';
import { type SharedListener, sharedListener } from './shared-listener.ts';

type BadRevision = {
  what: string;
  /** A tool that not every machine has. */
  needs?: string;
  files: Record<string, string>;
  message: RegExp;
  /** What the log says meanwhile. */
  said?: RegExp;
};

/** Deploys each of these where another revision serves. */
function itKeepsTheOldOne(shared: () => SharedListener, bad: BadRevision[]): void {
  let old: DeploySpec;
  beforeAll(async () => {
    old = await deploy(shared().controlPlane, await helloTarball('v1'));
  });

  it.for(bad)(
    'fails $what with the reason, and keeps the old one serving',
    async ({ needs, files, message, said }, { skip }) => {
      if (needs !== undefined && !(await toolsOn(childEnvironment()['PATH'] ?? '')).has(needs))
        skip(`${needs} is not on PATH`);
      const { controlPlane, program } = shared();
      const { deployment_id, deployment_name } = old;
      const withPackage =
        'main.cjs' in files ? { 'package.json': '{"scripts":{"start":"node main.cjs"}}' } : {};
      const artifact = controlPlane.addArtifact(await tarballOf({ ...withPackage, ...files }));
      const epoch = controlPlane.nextEpochOf(deployment_id);
      const taskId = controlPlane.offerDeploy(specOf(controlPlane, artifact, { deployment_id, epoch }));
      const completed = await completionOf(controlPlane, taskId);

      expect(completed).toMatchObject({ outcome: 'failed', previous_serving: true });
      expect(completed.status_message).toMatch(message);
      if (said !== undefined)
        expect(controlPlane.taskLinesOf(taskId).map((line) => line.message)).toContainEqual(
          expect.stringMatching(said),
        );
      const [cause = ''] = (completed.status_message ?? '').split('\n');
      expect(controlPlane.taskLinesOf(taskId).at(-1)).toMatchObject({
        level: 'ERROR',
        message: cause.replace(/ Its last lines of output:$/, ''),
      });
      expect(await (await fetch(program.url(deployment_name))).json()).toMatchObject({ version: 'v1' });
      expect(program.serverPids(deployment_id)).toHaveLength(1);
    },
  );
}

/** What a build writes down for the listener: the line that starts the server. */
const startFile = (line: string): Record<string, string> => ({
  '.slipway-start.json': JSON.stringify({ folder: '.', line, from: `\`${line}\`` }),
});

/** Servers of other kinds. Each listens on a port of its own choice and says which; with `exit` it ends with 3. */
const others: { kind: string; needs: string; files: (mode: 'listen' | 'exit') => Record<string, string> }[] =
  [
    {
      kind: 'a Go',
      needs: 'go',
      files: (mode) => ({
        ...startFile(`go build -o slipway-server . && exec ./slipway-server ${mode}`),
        'go.mod': 'module here\n\ngo 1.19\n',
        // The package of HTTP takes long to compile.
        'main.go': `package main

import (
	"net"
	"os"
)

func main() {
	if os.Args[1] == "exit" {
		println("no database")
		os.Exit(3)
	}
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	println("here", listener.Addr().(*net.TCPAddr).Port)
	for {
		client, _ := listener.Accept()
		client.Read(make([]byte, 4096))
		client.Write([]byte("HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n"))
		client.Close()
	}
}
`,
      }),
    },
    {
      kind: 'a Deno',
      needs: 'deno',
      files: (mode) => ({
        ...startFile(`deno run --allow-all main.ts ${mode}`),
        'main.ts':
          'if (Deno.args[0] === "exit") { console.log("no database"); Deno.exit(3); }\nDeno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log("here " + port) }, () => new Response());\n',
      }),
    },
    {
      kind: 'a Bun',
      needs: 'bun',
      files: (mode) => ({
        ...startFile(`bun main.ts ${mode}`),
        'main.ts':
          'if (Bun.argv[2] === "exit") { console.log("no database"); process.exit(3); }\nconsole.log("here", Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() }).port);\n',
      }),
    },
  ];

describe('a revision that cannot serve', () => {
  const shared = sharedListener();

  itKeepsTheOldOne(shared, [
    {
      what: 'a server that exits at once',
      files: { 'main.cjs': 'console.log("boom: no database"); process.exit(3)' },
      message: /The server exited with code 3\.[^]*boom: no database/,
    },
    {
      what: 'a server that listens on another port',
      files: {
        'main.cjs':
          'const s = require("http").createServer((q, r) => r.end("ok")).listen(0, () => console.log("here " + s.address().port))',
      },
      message: /It listens on port \d+ instead of PORT=\d+\.[^]*here \d+/,
    },
    {
      what: 'a Python server of a Procfile that listens on another port',
      files: {
        Procfile: 'web: python3 -u server.py --port $PORT',
        'server.py':
          'import http.server as h\ns = h.HTTPServer(("127.0.0.1", 0), h.SimpleHTTPRequestHandler)\nprint("here", s.server_port)\ns.serve_forever()\n',
      },
      message: /It listens on port \d+ instead of PORT=\d+\.[^]*here \d+/,
    },
    {
      what: 'a server that a build has written down and that exits',
      files: {
        ...startFile('cd . && python3 a.py'),
        'a.py': 'raise SystemExit("no database")',
      },
      message: /The server exited with code 1\.[^]*no database/,
    },
    {
      what: 'a server that npm starts and that exits',
      files: {
        'package.json':
          '{"scripts":{"prestart":"true","start":"node -e \'console.log(`gone`);process.exit(4)\'"}}',
      },
      message: /The server exited with code 4\.[^]*gone/,
    },
    ...others.flatMap(({ kind, needs, files }) => [
      {
        what: `${kind} server that listens on another port`,
        needs,
        files: files('listen'),
        message: /It listens on port (\d+) instead of PORT=\d+\.[^]*here \1/,
      },
      {
        what: `${kind} server that exits`,
        needs,
        files: files('exit'),
        message: /The server exited with code 3\.[^]*no database/,
      },
    ]),
    {
      what: 'a server whose program is missing',
      files: { Procfile: 'web: no-such-program main.py' },
      message: /could not be started: there is no program 'no-such-program'/,
    },
    {
      what: 'a folder with nothing to start',
      files: { 'index.html': 'hello' },
      message: /There is nothing to start: no .*\bProcfile\b/,
    },
  ]);
});

describe('a revision that is not ready in time', () => {
  // The old one must be, also on a busy machine.
  const impatient = sharedListener(['--start-timeout-seconds', '15']);

  itKeepsTheOldOne(impatient, [
    {
      what: 'a server that never answers /ok',
      files: {
        'main.cjs':
          'require("http").createServer((q, s) => { console.log("GET /ok 500"); s.statusCode = 500; s.end() }).listen(process.env.PORT, () => console.log("still loading"))',
      },
      // What it writes of our own requests is not among its last lines.
      message: /not ready within 15 s: GET \/ok answers 500\.[^]*output:\nstill loading$/,
      said: /^Not ready after 1\d s: GET \/ok answers 500\.$/,
    },
    {
      what: 'a server that listens on nothing',
      files: { 'main.cjs': 'console.log("thinking"); setInterval(() => {}, 1000)' },
      message: /not ready within 15 s: nothing listens on PORT=\d+\.[^]*thinking/,
    },
  ]);
});
