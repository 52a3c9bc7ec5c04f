/** Whether a command of the document client writes, alone or in a transaction. */
export const isWrite = (commandName = ''): boolean =>
  /^(?:Put|Update|Delete|TransactWrite)/.test(commandName);
