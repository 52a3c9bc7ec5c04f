import { agentFlow } from './agent-flow.ts';

agentFlow('shout-agent-python', { path: 'agent.py', text: 'import nothing_of_that_name\n' });
