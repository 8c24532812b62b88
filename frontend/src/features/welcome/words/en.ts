/** English: the first start. */
export const words = {
  'welcome.title': 'Welcome to the checkpoint',
  'welcome.lead': 'Agents’ tool calls stop here. Your rules let through what you trust; everything else waits for you.',
  'welcome.servers': 'Put a tool server behind the desk',
  'welcome.serversText': 'The desk starts it; agents reach it only through here.',
  'welcome.agents': 'Give your agent its token',
  'welcome.agentsText': 'Paste the shown snippet into the agent’s configuration. With it the agent can ask, never approve.',
  'welcome.rules': 'Say what needs no question',
  'welcome.rulesText': 'Begin with the five example rules, or make a rule out of the first call that stops.',
  'welcome.done': 'done',
  'welcome.demo': 'Send a demo call',
  'welcome.demoText': 'It asks for a greeting and touches nothing. Approve it or decline it, and see what happens.',
} as const
