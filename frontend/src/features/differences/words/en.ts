/** English: what is not as the journal says that it was left. */
export const words = {
  'differences.title': 'Not as it was left',
  'differences.lead':
    'These read otherwise than the journal says: a disk turned a bit, or another program wrote to the data. Everything asks, and a server named here is not started, until you have picked a version of each.',
  'differences.rules': 'Rule {name}',
  'differences.grants': 'Grant {name}',
  'differences.settings': 'The settings',
  'differences.servers': 'Server {name}',
  'differences.agents': 'Agent {name}. The journal does not hold its token: where that is another, the journal’s version removes the agent.',
  'differences.tools': 'What is known of the tool {name}',
  'differences.journal': 'The journal itself is damaged, or not signed by its key, at entry {name}: nothing can be held against it. Look at the rules, servers, agents and settings, and keep them if they are as they should be.',
  'differences.journalName': 'The name of the journal is lost, or is another than it was signed by. Look at what else differs first; the journal is then named as it was, or anew.',
  'differences.column': 'What',
  'differences.journalSays': 'As the journal says',
  'differences.tableSays': 'As it stands',
  'differences.none': 'not there',
  'differences.takeJournal': 'Restore as the journal says',
  'differences.remove': 'Remove it, as the journal says',
  'differences.takeTable': 'Keep as it stands',
  'differences.leaveOut': 'Leave it out',
  'differences.allJournal': 'Restore all as the journal says',
  'differences.allTable': 'Keep all as they stand',
} as const
