/** The desk as the front end sees it: one interface, three faces (window, HTTP, fake). */
import type {
  Agent,
  Answer,
  Attention,
  Call,
  CallsFilter,
  ClientCheck,
  ClientChoice,
  ClientConnected,
  ClientDisconnected,
  ClientFiles,
  ClientProof,
  ClientTrial,
  Difference,
  Clause,
  Finding,
  Grant,
  Hint,
  HistoryState,
  ImportMode,
  Info,
  Look,
  NewAgent,
  Offer,
  OfferedFor,
  PendingSnapshot,
  Preview,
  Query,
  Reach,
  ReachQuery,
  Risk,
  Resolution,
  Rule,
  RuleChange,
  RuleDiff,
  RuleForm,
  SecretsNotice,
  Server,
  ServerTest,
  Settings,
  SettingsChange,
  SignIn,
  SignInClient,
  Suggestion,
  ToolLook,
  Verdict,
  Version,
  Wording,
} from './types'
import type { InsightsDesk } from './insights-rows'
import type { RolesDesk } from './roles-rows'
import type { WorkDesk } from './work-rows'

/**
 * All methods fail with a DeskError. Events are hints only: they may be lost or
 * overtaken, so whoever listens asks again.
 */
export interface Desk {
  /**
   * What waits for a person, oldest first, and the journal's sequence number that it is not older than.
   * The cursor is `next` of the page before.
   */
  pending(cursor?: string): Promise<PendingSnapshot>
  /** The input of a call exactly as its bytes are, never parsed. */
  input(callId: string): Promise<string>
  /** The envelope of a call that has one, exactly as its bytes are. */
  envelope(callId: string): Promise<string>
  /** What is known of a call beside its bytes: the file it would write, the command it would run, the last one like it. */
  look(callId: string): Promise<Look>
  /** Reports what is in view with the person's attention; null: nothing any more. The desk counts the time by its own clock. */
  attend(shown: Attention | null): Promise<void>
  /** settled are the other waiting calls that the answer reached. */
  decide(callId: string, answer: Answer): Promise<{ call: Call; settled: string[]; repeated: boolean }>
  /** Gives a waiting call more time. */
  extend(callId: string, seconds: number): Promise<Call>
  /** Settles a call in doubt: it may be claimed again, or counts as failed. */
  resolve(callId: string, action: Resolution): Promise<Call>
  /** Approves the waiting calls that an allow rule decides now, and counts them. */
  release(ruleId: string): Promise<number>
  /** Removes the input of a settled call; its hash stays. */
  wipeInput(callId: string): Promise<void>
  /** A declined call of the same kind is asked again. */
  forgetDenial(callId: string): Promise<void>
  /** Asks for a harmless call to try the desk with. */
  demo(): Promise<void>

  /** The rules in the order of judgement. */
  rules(): Promise<{ rules: Rule[]; policyVersion: number }>
  createRule(form: RuleForm): Promise<RuleSaved>
  /** What changes leaves out stays. ifMatch is the updatedAt that was seen; another one fails with code lost_update. */
  updateRule(id: string, changes: Partial<RuleForm>, ifMatch: string): Promise<RuleSaved>
  /** document brings the rule back as it was, by importRules. */
  deleteRule(id: string, ifMatch: string): Promise<RuleSaved & { document: string }>
  /** Puts a rule right before another in the order of judgement (null: last), by priorities, in one transaction. */
  moveRule(id: string, before: string | null, policyVersion: number): Promise<void>
  preview(change: RuleChange): Promise<Preview>
  /** Of the rules as they are, or as a change would make them. */
  lint(change?: RuleChange): Promise<Finding[]>
  /** Says conditions in clauses. */
  wordings(conditions: readonly string[]): Promise<Wording[]>
  /** Makes a condition of clauses. */
  conditionOf(clauses: readonly Clause[]): Promise<Wording>
  evaluate(query: Query): Promise<Verdict>
  suggestions(): Promise<Suggestion[]>
  /** How far the reading of what agents wrote on the desk's machine is, and what came of it. */
  history(): Promise<HistoryState>
  /** Begins to read it; while it is being read, that goes on. */
  readHistory(): Promise<HistoryState>
  /** Ends the reading, and forgets what came of it. */
  forgetHistory(): Promise<HistoryState>
  /** Allow rules that match a call, from the narrowest to the widest. */
  widen(of: OfferedFor): Promise<Offer[]>
  /** Which rules may ever allow a kind of calls. */
  reach(query: ReachQuery): Promise<Reach>
  /** The rules as a document, its text. */
  exportRules(): Promise<string>
  diffRules(document: string, mode: ImportMode): Promise<RuleDiff>
  /** All or nothing. policyVersion is that which was seen; null, any. accept are the ids of rules that may newly allow something. */
  importRules(document: string, mode: ImportMode, policyVersion: number | null, accept: string[]): Promise<RuleDiff>

  grants(): Promise<Grant[]>
  endGrant(id: string): Promise<void>

  servers(): Promise<Server[]>
  /** The servers, with the version of their list. */
  versionedServers(): Promise<{ servers: Server[]; version: string }>
  /** Where the secrets of servers are. */
  secrets(): Promise<SecretsNotice>
  /**
   * Puts the list in the place of all. A masked value keeps the secret it stands for. version is that of
   * the list that was seen; another one fails with code lost_update.
   */
  saveServers(servers: Server[], version: string): Promise<Server[]>
  /** Begins a sign-in to a server over HTTP; the answer's url is for a browser. Without a client the one that is kept goes on. */
  signIn(serverId: string, client?: SignInClient): Promise<SignIn>
  /** Deletes the tokens of a server; the answer's error says that the authorization server did not take them back. */
  signOut(serverId: string): Promise<SignIn>
  /** Opens a page of the web in the person's browser. */
  openPage(url: string): void
  /** Starts a server as it is written here, asks for its tools, and ends it. */
  testServer(server: Server): Promise<ServerTest>
  /** What changed of a tool since it was first allowed. */
  tool(serverId: string, name: string): Promise<ToolLook>
  /** Takes the change that was shown as seen; fails with code stale when it is another by now. */
  acceptTool(shown: ToolLook): Promise<void>
  /** Takes the changes of several tools of a server as seen, all or none; fails with code stale when one is another by now. */
  acceptTools(serverId: string, shown: readonly ToolLook[]): Promise<void>
  /** Gives a tool a risk, in place of its name and its server's hint; null takes it back. */
  setToolRisk(serverId: string, name: string, risk: Risk | null): Promise<void>

  agents(): Promise<Agent[]>
  /** The token is in this answer and nowhere else. */
  createAgent(name: string): Promise<NewAgent>
  deleteAgent(id: string): Promise<void>
  /** Declines what an agent asks, ends its sessions, and refuses its calls for 15 minutes. */
  stopAgent(id: string): Promise<void>
  resumeAgent(id: string): Promise<void>

  /** The configuration files of agents' clients, as they would be connected with a choice. */
  clients(choice: ClientChoice): Promise<ClientFiles>
  /** Starts the servers of a file as its app does, before they are moved; takes up to a minute or two. */
  tryClient(id: string, shown: string, choice: ClientChoice): Promise<ClientTrial[]>
  /** Puts a file's entries behind the desk, as it was shown; fails with code stale when it is another by now. */
  connectClient(id: string, shown: string, choice: ClientChoice): Promise<ClientConnected>
  /** Starts them as the app will now, and compares their tools with those that were found before. */
  proveClient(id: string): Promise<ClientProof[]>
  /** Puts a file back, as it was shown; force is the person's word where it takes one (code changed_since). */
  disconnectClient(id: string, shown: string, force: boolean): Promise<ClientDisconnected>
  /** Proves that the app of a file asks the desk before it runs a tool of its own; takes up to some minutes. */
  checkClient(id: string): Promise<ClientCheck>

  /** Takes servers off the list that are left over of apps, all or none; fails with code stale when one of them is not any more. */
  removeLeftovers(servers: readonly string[]): Promise<ClientDisconnected>

  /** Calls, newest first; the cursor is `next` of the page before. */
  calls(filter: CallsFilter): Promise<{ calls: Call[]; next: string | null }>
  /** One call, as it is now. */
  call(callId: string): Promise<Call>
  /** Entries of the journal after a sequence number, as JSON text of each; next is null at the end. */
  journal(after: number): Promise<{ entries: string[]; next: number | null }>
  /** The desk's signature over the newest entry, for the end of an export; null where it has no key. */
  journalEnd(): Promise<{ entry: string; seq: number } | null>

  /** Calls, questions and answers over time, absences and breaks. */
  insights(): Promise<InsightsDesk>
  /** What agents are: coordinators, members of projects, and the sessions that the desk made. */
  roles(): Promise<RolesDesk>
  /** What agents do together: tasks and conversations. */
  work(): Promise<WorkDesk>

  settings(): Promise<Settings>
  changeSettings(change: SettingsChange): Promise<Settings>
  /** While on, nothing is allowed without asking. */
  hold(on: boolean): Promise<void>
  /** What is wrong with what the desk keeps, in its own words; empty: nothing. */
  trouble(): Promise<string>

  /** What is not as the journal says that it was left. */
  differences(): Promise<Difference[]>
  /** Takes one version of all that are named, or of none: fails with code stale when one is another by now. */
  settleDifferences(ids: readonly string[], take: Version): Promise<void>

  /** Lets the person keep a text as a file; false when they thought better of it. */
  saveFile(name: string, text: string): Promise<boolean>
  /** Calls onHint when something may have changed, and after each (re)connection. */
  subscribe(onHint: (hint: Hint) => void): () => void
  /** Whether events come, so that nothing changes without a hint. */
  hasEvents(): boolean
  /** Calls listener when events begin to come, or cease to. */
  onEvents(listener: () => void): () => void
  /** Tells, now and at each change, whether the window is the small one for approvals alone. A browser never is. */
  onCompact(listener: (compact: boolean) => void): () => void
  /** Makes the whole desk of the small window. */
  expand(): Promise<void>
  /** Whether the page before this one was lost, and the window loaded this one by itself. */
  renewed(): Promise<boolean>
  info(): Promise<Info>
}

/** A rule as it was stored; pendingMatches counts the waiting calls that it would decide now. */
export interface RuleSaved {
  rule: Rule
  pendingMatches: number
}
