import { basename } from 'node:path';
import { imageAddress, NODE_MAJOR, PYTHON_SERVER_VERSION, TOOL_IMAGE } from '../versions.ts';
import { NODE_STAGE, type Toolset } from './toolchains.ts';

/** Where a plan is carried out inside an image build: the source. An image has it there, too. */
const SOURCE = '/slipway-build';
/** What the build adds to an image: how the server is started, and libraries that it needs. */
const SERVER = '/slipway-server';
/** Nobody but this user runs servers. Its number is one that no image of the official ones has. */
const USER = 10001;

type BuildStage = {
  image: string;
  /** Lines that bring tools which the image lacks. */
  lines: readonly string[];
  /** What the builder is run with, and mounts that bring it. */
  node: { program: string; mounts?: string };
  /** Whether installations see no more of the source than the files that they depend on. */
  installsFirst?: boolean;
  /** The last step, with its arguments. */
  end: string;
};

/**
 * The part that carries out a plan. /slipway holds the plan and this builder; nothing of them is written into
 * the text of a Dockerfile.
 */
function buildStage({ image, lines, node, installsFirst = false, end }: BuildStage): string {
  const mounts = ['--mount=type=bind,from=slipway,target=/slipway', ...(node.mounts ? [node.mounts] : [])];
  const step = (words: string) => `RUN ${mounts.join(' ')} ${node.program} /slipway/builder.mjs ${words}`;
  const install = step(`install ${SOURCE}`);
  const copied = `COPY . ${SOURCE}`;
  // What is installed is a layer of its own then, that no other change of the source makes anew.
  const first = [`COPY --from=slipway ${INPUTS}/ ${SOURCE}/`, install, copied];
  return [
    `FROM ${imageAddress(image)} AS build`,
    ...lines,
    ...(installsFirst ? first : [copied, install]),
    step(`build ${SOURCE}`),
    step(end),
    '',
  ].join('\n');
}

/** In the folder that an image build sees as /slipway: the files that installations depend on. */
export const INPUTS = 'inputs';

const nodeStage = `FROM ${imageAddress(`node:${NODE_MAJOR}-bookworm-slim`)} AS ${NODE_STAGE}\n`;

/**
 * The built folder as the whole content of an image. The builder brings the Node.js that runs it: Python's
 * images have none.
 */
export function folderDockerfile(build: Toolset['build']): string {
  const stage = buildStage({ ...build, node: { program: '/slipway/node' }, end: `seal ${SOURCE}` });
  const first = stage.includes(`--from=${NODE_STAGE}`) ? nodeStage : '';
  return `${first}${stage}FROM scratch\nCOPY --from=build ${SOURCE} /\n`;
}

/** Each of the image's own libraries stays as it is; what it lacks of those that were needed is found after them. */
const ADD_LIBRARIES = `for one in ${SERVER}/libraries/*; do if ldconfig -p | grep -qF "/\${one##*/}"; then rm "$one"; fi; done && echo ${SERVER}/libraries >/etc/ld.so.conf.d/zz-slipway.conf && ldconfig`;

/**
 * The image of a server: what was built, on a slim base, run by a user without rights. It may be for another
 * kind of processor than this machine's, so a Node.js of its own runs the builder.
 */
export function serverDockerfile({ build, run }: Toolset, installsFirst: boolean): string {
  const node = '/slipway-node';
  const stage = buildStage({
    ...build,
    node: {
      program: node,
      mounts: `--mount=type=bind,from=${NODE_STAGE},source=/usr/local/bin/node,target=${node}`,
    },
    installsFirst,
    end: `finish ${SOURCE} ${SERVER}`,
  });
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  const tools = [
    `${SERVER}/project/.venv/bin`,
    `${SERVER}/project/node_modules/.bin`,
    `${SOURCE}/node_modules/.bin`,
  ];
  const lines = [
    `FROM ${imageAddress(run.image)}`,
    ...run.lines,
    `RUN useradd --uid ${USER} --user-group --create-home slipway`,
    `COPY --from=build ${certificates} ${certificates}`,
    `COPY --from=build ${SERVER}/ ${SERVER}/`,
    `RUN ${ADD_LIBRARIES}`,
    `COPY --from=build --chown=${USER}:${USER} ${SOURCE}/ ${SOURCE}/`,
    'ENV NODE_ENV=production PYTHONUNBUFFERED=1 PORT=8000 HOST=0.0.0.0',
    `ENV PATH=${tools.join(':')}:$PATH`,
    `WORKDIR ${SERVER}/project`,
    `USER ${USER}:${USER}`,
    'EXPOSE 8000',
    'ENTRYPOINT []',
    `CMD ["${SERVER}/start"]`,
    '',
  ];
  return `${nodeStage}${stage}${lines.join('\n')}`;
}

/**
 * Has the agent's own tool write the Dockerfile of an agent project, without network, from the source and
 * nothing else.
 */
export const describeDockerfile = (script: string): string => `FROM ${imageAddress(TOOL_IMAGE)} AS describe
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore langgraph-cli==${PYTHON_SERVER_VERSION}
COPY ${basename(script)} request.json /
RUN --network=none --mount=type=bind,from=agent,target=/agent python /${basename(script)} /agent /request.json /out
FROM scratch
COPY --from=describe /out /
`;
