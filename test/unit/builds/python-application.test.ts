import { describe, expect, it } from 'vitest';
import { applicationIn, runOnImport } from '../../../lib/builds/detect/python-application.ts';

const objectIn = (text: string) => applicationIn('main.py', text)?.object;

describe('the application of a Python module', () => {
  it.each([
    ['app: FastAPI = fastapi.FastAPI(\n  title="x")', 'app'],
    ['app   =FastAPI  ()', 'app'],
    ['def get_app()  ->  fastapi.FastAPI:\n  pass', 'get_app'],
    ['def create_app(config=None):\n  return Flask(__name__)', 'create_app()'],
    ['async def serve(\n    scope: dict,\n    receive,\n    send,\n):\n  pass', 'serve'],
    ['def wsgi(environ: dict, start_response):\n  pass', 'wsgi'],
    ['from fastmcp import FastMCP\nmcp = FastMCP("x")', 'mcp.http_app'],
  ])('is found in %j', (text, object) => {
    expect(objectIn(text)).toBe(object);
  });

  it.each([
    'app == FastAPI()',
    '  app = FastAPI()',
    'app[0] = FastAPI()',
    'app = FastAPI',
    'def create_app():\n  pass',
    'async def receive(self, scope, send):\n  pass',
    'def wsgi(environ):\n  pass\nstart_response = 1',
  ])('is not found in %j', (text) => {
    expect(objectIn(text)).toBeUndefined();
  });
});

describe('what a module runs when it is imported', () => {
  it.each([
    ['mcp.run(transport="http")', 'mcp.run('],
    ['uvicorn.run(mcp)', 'uvicorn.run('],
    ['asyncio.run(\n    mcp.run_async()\n)', 'asyncio.run(mcp.run_async('],
    ['anyio.run( mcp.run_async() )', 'anyio.run(mcp.run_async('],
    ['if True:\n    mcp.run()', undefined],
    ['other.run()', undefined],
  ])('is seen in %j', (text, call) => {
    expect(runOnImport(text, 'mcp')).toBe(call);
  });
});
