import { agentFlow } from './agent-flow.ts';

agentFlow('shout-agent', { path: 'src/agent.js', text: "import './nothing_of_that_name.js';\n" });
