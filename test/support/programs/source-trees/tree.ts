import type { Files } from '../../files/write-files.ts';

/** What becomes of a source: the first lines of its log, or the whole reason why it is not built. */
type Expected = { taken: string; install: string; build: string; start: string } | { refused: string };

/** A source, and what becomes of it where `tools` are there besides npm and npx. */
export type SourceTree = {
  name: string;
  files: Files;
  tools?: string[];
  installCommand?: string;
  buildCommand?: string;
  startCommand?: string;
  rootDirectory?: string;
  expected: Expected;
  /** In an image, which gets the tools that a source needs, where that makes a difference. */
  inImages?: Expected;
};

/** A source that is taken for this by this file, and started so. */
export const isTaken = (
  what: string,
  file: string,
  start: string,
  { install = 'nothing', build = 'nothing' }: { install?: string; build?: string } = {},
): Expected => ({ taken: `This source is ${what}: ${file} says so`, install, build, start });

export const json = (value: object): string => JSON.stringify(value);

/** A file that defines an application of FastAPI, and how it is started where its name is main.py. */
export const FASTAPI = 'from fastapi import FastAPI\n\napp = FastAPI(title="x")\n';
export const SERVE = 'uvicorn main:app --host $HOST --port $PORT';
export const VENV = 'uv venv --python PYTHON .venv';
export const REQUIREMENTS = 'uv pip install -r requirements.txt';
export const UVICORN = 'uvicorn==0.54.0, unless the project brings uvicorn';
export const GUNICORN = 'gunicorn==27.0.1, unless the project brings gunicorn';
