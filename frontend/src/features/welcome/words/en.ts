/** English: the first start. */
export const words = {
  'welcome.title': 'Welcome to the checkpoint',
  'welcome.lead': 'Agents’ tool calls stop here. Your rules let through what you trust; everything else waits for you.',
  'welcome.byHand': 'Another program? Put its tool server behind the desk under {servers}, and give it a token under {agents}: with that it can ask, never approve.',
  'welcome.servers': 'Servers',
  'welcome.agents': 'Agents',
  'welcome.rules': 'Rules',
  'welcome.firstTitle': 'The first call was answered',
  'welcome.firstRule': 'This is the first rule you may want. With it, calls like this one of {agent} pass without a question, whichever agent asks:',
  'welcome.allow': 'Allow {what}',
  'welcome.makeRule': 'Make this rule',
  'welcome.leaveRule': 'Leave it',
  'welcome.ruleNone': 'No rule is offered for it. Calls wait for you until a rule says otherwise.',
  'welcome.ruleMade': 'The rule is made: calls like that pass without a question now. It stands under {rules}.',
  'welcome.demo': 'Send a demo call',
  'welcome.demoText': 'To try the desk without an app, send a demo call: it asks for a greeting and touches nothing.',
} as const
