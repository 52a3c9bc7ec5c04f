import { Transform } from 'node:stream';
import { Parser } from 'tar';
import type { BuildVariable } from '../adapters/builds.ts';
import { LongestMatches } from '../contract/longest-matches.ts';
import { createMask } from '../contract/mask.ts';
import { BuildFailure } from './failure.ts';
import { secretValuesOf } from './variables.ts';

/** Shorter values are in ordinary files too. */
const SEARCHED_LENGTH_MIN = 8;

/**
 * Passes on an uncompressed tar file, unless a value of 8 and more characters is in one of its files, or in
 * the name of one: then it throws BuildFailure with the first such name. Memory is bounded by the longest
 * value, and other work of this process comes in between chunks. Nothing where there is nothing to look for.
 */
export function refuseSecrets(secrets: readonly BuildVariable[]): Transform[] {
  const searched = secrets.filter(({ value }) => value.length >= SEARCHED_LENGTH_MIN);
  return searched.length === 0 ? [] : [gateFor(searched)];
}

function gateFor(secrets: readonly BuildVariable[]): Transform {
  const find = finderOf(secrets);
  let found: { path: string; name: string } | undefined;
  const parser = new Parser({
    onReadEntry(entry) {
      const { path, linkpath = '' } = entry;
      const search = (chunk: Buffer, feed: Feed): void => {
        const name = found === undefined ? feed(chunk) : undefined;
        if (name !== undefined) found = { path, name };
      };
      search(Buffer.from(`${path}\0${linkpath}`), find());
      const feed = find();
      entry.on('data', (chunk: Buffer) => search(chunk, feed));
    },
  });
  const reason = () => found && refusal(found, secrets);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      parser.write(chunk);
      // Not at once, even where all is in memory: a large file must not hold up the rest of this process.
      setImmediate(() => done(reason(), chunk));
    },
    flush(done) {
      parser.once('end', () => done(reason())).end();
    },
  });
}

function refusal({ path, name }: { path: string; name: string }, secrets: readonly BuildVariable[]): Error {
  const file = createMask(secretValuesOf({ buildSecrets: secrets }))(path.replace(/^\.\//, ''));
  return new BuildFailure(
    `The build has left the value of the build secret ${name} in the file ${file}, and nothing that it makes may hold one. Delete that file at the end of build_command, or let the commands take the value from their environment alone`,
  );
}

/** Takes the next chunk of a text, and gives the name of a secret whose value ends in it. */
type Feed = (chunk: Buffer) => string | undefined;

/** Begins to search texts that come in chunks. */
function finderOf(secrets: readonly BuildVariable[]): () => Feed {
  const values = secrets.map(({ name, value }) => ({ name, bytes: Buffer.from(value) }));
  const keep = Math.max(...values.map(({ bytes }) => bytes.length - 1));
  const matches = new LongestMatches(values.map(({ bytes }) => bytes));
  // Looking for the first bytes alone is as fast as reading, and the tree of all values is not needed for
  // most files.
  const beginnings = values.map(({ bytes }) => bytes.subarray(0, SEARCHED_LENGTH_MIN));
  return () => {
    let end = Buffer.alloc(0);
    return (chunk) => {
      const text = Buffer.concat([end, chunk]);
      end = Buffer.from(text.subarray(Math.max(0, text.length - keep)));
      if (!beginnings.some((one) => text.includes(one))) return undefined;
      let value: Buffer | undefined;
      matches.find(text, (from, to) => {
        value ??= text.subarray(from, to);
      });
      return values.find(({ bytes }) => value?.equals(bytes))?.name;
    };
  };
}
