/**
 * Variables that whoever runs the installation gives to every server that it runs itself. Their values stay
 * where they are: a server is started with references to them.
 */
export type SharedVariables = {
  /** What references to them begin with. */
  arn: string;
  /** Another one after each change. */
  version: string;
  names: readonly string[];
  /** What of it is given to nobody and why, a sentence; undefined: all of it is given. */
  remark: string | undefined;
};

export type AgentSecrets = {
  /** As they are now. Throws AgentSecretsUnreadable. */
  variables(): Promise<SharedVariables>;
  /**
   * The values that servers have, for replacing them in what is printed: those of now and, because servers
   * that run keep theirs, those of before the last change. Throws AgentSecretsUnreadable.
   */
  values(): Promise<string[]>;
};

/** The variables are not to be had until somebody corrects that. The message is for a person. */
export class AgentSecretsUnreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AgentSecretsUnreadable';
  }
}
