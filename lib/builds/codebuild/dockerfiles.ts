import { basename } from 'node:path';
import {
  imageAddress,
  NODE_MAJOR,
  PYTHON_DEFAULT,
  PYTHON_SERVER_VERSION,
  TOOL_IMAGE,
  UV_VERSION,
} from '../versions.ts';

/**
 * Where a plan is carried out inside an image build: the source, and a link to the project's folder in it.
 */
const SOURCE = '/slipway-build';
const PROJECT_LINK = '/slipway-project';

/** Which images a project is built in. */
export type Base = { language: 'plain' | 'javascript' | 'python'; node?: string; python?: string };

/**
 * The part that carries out a plan. /slipway holds the plan and this builder; nothing of them is written into
 * the text of a Dockerfile. `node`: what runs the builder there.
 */
function buildStage(base: Base, node: string): string {
  const isPython = base.language === 'python';
  const image = isPython
    ? `python:${base.python ?? PYTHON_DEFAULT}-bookworm`
    : `node:${base.node ?? NODE_MAJOR}-bookworm`;
  const uv = `RUN pip install --no-cache-dir --root-user-action=ignore uv==${UV_VERSION}\n`;
  const step = (name: string) =>
    `RUN --mount=type=bind,from=slipway,target=/slipway ${node} /slipway/builder.mjs ${name} ${SOURCE}`;
  return `FROM ${imageAddress(image)} AS build
${isPython ? uv : ''}COPY . ${SOURCE}
${step('install')}
${step('build')}
${step('seal')} ${PROJECT_LINK}
`;
}

/**
 * The built folder as the whole content of an image. The builder brings the Node.js that runs it: Python's
 * images have none.
 */
export const folderDockerfile = (base: Base): string =>
  `${buildStage(base, '/slipway/node')}FROM scratch\nCOPY --from=build ${SOURCE} /\n`;

/**
 * The image of a plain Node.js server. It may be for another kind of processor, so its own Node.js runs the
 * builder.
 */
export const serverDockerfile = (): string =>
  `${buildStage({ language: 'plain' }, 'node')}ENV NODE_ENV=production PORT=8000 HOST=0.0.0.0
EXPOSE 8000
CMD ["sh", "-c", "cd ${PROJECT_LINK} && exec npm start"]
`;

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
