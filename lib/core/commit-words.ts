import { withBidiShown } from '../shown-text.ts';

const MESSAGE_LENGTH_MAX = 120;
const AUTHOR_LENGTH_MAX = 60;

/** What a commit says of itself, as it is stored with a revision: short, for each status writes it again. */
export type CommitDescription = { message: string; author: string; at: string };

// Whoever may push chooses these texts: a terminal that shows them must not read them as its own.
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const shortened = (text: string, lengthMax: number): string => {
  const characters = Array.from(text.trim().replace(CONTROL, ' '));
  return characters.length <= lengthMax
    ? characters.join('')
    : `${characters.slice(0, lengthMax - 1).join('')}…`;
};

/** More is not kept: the host is asked for it once it is needed. */
const WORDS_LENGTH_MAX = 300;

/**
 * What a commit says of itself, as it was written, to be kept until it is masked and then described: a text
 * that was cut first may end in a part of a secret, which no mask knows. Undefined when it is too long or the
 * time is none.
 */
export function commitWords({ message, author, at }: CommitDescription): CommitDescription | undefined {
  const [line = ''] = message.trim().split(/\r?\n/);
  const isKept = Math.max(line.length, author.length) <= WORDS_LENGTH_MAX && !Number.isNaN(Date.parse(at));
  return isKept ? { message: line, author, at } : undefined;
}

/** First line of the message, author's name and time of a commit; undefined when the time is none. */
export function describeCommit(said: {
  message: string;
  author: string;
  at: string;
}): CommitDescription | undefined {
  const at = new Date(said.at);
  if (Number.isNaN(at.getTime())) return undefined;
  const [line = ''] = said.message.trim().split(/\r?\n/);
  return {
    message: shortened(withBidiShown(line), MESSAGE_LENGTH_MAX),
    author: shortened(withBidiShown(said.author), AUTHOR_LENGTH_MAX),
    at: at.toISOString(),
  };
}
