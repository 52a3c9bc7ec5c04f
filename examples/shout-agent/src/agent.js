import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Change it, commit and update the deployment: answers begin with it. */
const VERSION = 'v1';
/** As if each word took a while to think of, so that a stream can be watched. */
const WORD_MILLISECONDS = 200;

function textOf(message) {
  return typeof message?.content === 'string' ? message.content : '';
}

/** Says the last message again, loudly, word by word. */
async function shout(state, config) {
  const words = textOf(state.messages.at(-1)).toUpperCase().split(/\s+/).filter(Boolean);
  for (const word of words) {
    config.writer?.({ word });
    await new Promise((resolve) => setTimeout(resolve, WORD_MILLISECONDS));
  }
  const text = `${VERSION}: ${words.join(' ')}${process.env.SHOUT_ENDING ?? ''}`;
  return { messages: [new AIMessage(text)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('shout', shout)
  .addEdge(START, 'shout')
  .addEdge('shout', END)
  .compile();
