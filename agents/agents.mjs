// The command-line agents as they are started here: each in a home of its own in a temporary folder, with the
// scripted model as its only host, telemetry and updates off, and its whole process group ended with it.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const installed = (path) => join(here, 'node_modules', path)

/** The Node that the clients need. */
export const node = installed('node/bin/node')

// What no client may reach or do: anything beyond loopback goes to a port where nobody listens.
const quiet = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  DO_NOT_TRACK: '1',
  CI: '',
  NO_COLOR: '1',
  TERM: 'dumb',
}

/** A unit of hooks: {event, command, timeout in seconds, matcher}. */
const grouped = (hooks, unit) => {
  const events = {}
  for (const hook of hooks) (events[hook.event] ??= []).push(unit(hook))
  return events
}
const claudeUnit = ({ matcher, command, timeout = 30, more }) => ({
  matcher: matcher ?? '*',
  hooks: [{ type: 'command', command, timeout, ...more }],
})

const geminiUnit = ({ matcher, command, timeout = 30 }) => ({
  matcher: matcher ?? '*',
  hooks: [{ name: 'desk', type: 'command', command, timeout: timeout * 1000 }],
})
const copilotUnit = ({ command, timeout = 30 }) => ({ type: 'command', bash: command, timeoutSec: timeout })
const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))

const claude = (program) => ({
  command: [program],
  env: (_, model) => ({
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    MCP_CONNECTION_NONBLOCKING: 'false',
    MCP_TIMEOUT: '60000',
    ENABLE_TOOL_SEARCH: 'false',
  }),
  configure(place, { hooks, servers, settings }) {
    place.write('.claude/settings.json', { ...settings, hooks: grouped(hooks, claudeUnit) })
    place.write('.claude.json', {
      hasCompletedOnboarding: true,
      mcpServers: servers,
      projects: { [place.work]: { hasTrustDialogAccepted: true } },
    })
  },
  args: (prompt, { mode = 'default', flags = [] }) => ['-p', prompt, ...flags, '--permission-mode', mode, '--output-format', 'json', '--model', 'claude-sonnet-4-5'],
})

/** Every client by the name that its figures go by. */
export const agents = {
  claude: claude(installed('@anthropic-ai/claude-code/bin/claude.exe')),
  'claude-2.1.197': claude(installed('claude-code-2.1.197/bin/claude.exe')),
  codex: {
    command: [node, installed('@openai/codex/bin/codex.js')],
    env: () => ({ OPENAI_API_KEY: 'none' }),
      configure(place, { hooks, servers, toml = '' }, model) {
      place.write('.codex/hooks.json', { hooks: grouped(hooks, claudeUnit) })
      const entry = ([id, { command, args, env = {} }]) =>
        `[mcp_servers.${id}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nrequired = true\nstartup_timeout_sec = 60\n` +
        `env = { ${Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)} }\n`
      place.write(
        '.codex/config.toml',
        `model = "gpt-5"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n${toml}\n` +
          `[analytics]\nenabled = false\n[feedback]\nenabled = false\n` +
          `[model_providers.scripted]\nname = "scripted"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n` +
          `[projects.${JSON.stringify(place.work)}]\ntrust_level = "trusted"\n` +
          Object.entries(servers).map(entry).join(''),
      )
    },
    args: (prompt, { sandbox = 'danger-full-access', flags = [] }) => ['exec', '--skip-git-repo-check', '--sandbox', sandbox, ...flags, prompt],
  },
  gemini: {
    command: [node, installed('@google/gemini-cli/bundle/gemini.js')],
    env: (_, model) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    configure(place, { hooks, servers, settings }) {
      place.write('.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        mcpServers: servers,
        hooks: grouped(hooks, geminiUnit),
        ...settings,
      })
    },
    args: (prompt, { mode = 'yolo' }) => ['-p', prompt, '--approval-mode', mode, '--model', 'gemini-2.5-flash', '--output-format', 'json'],
  },
  copilot: {
    command: [node, installed('@github/copilot/npm-loader.js')],
    env: (_, model) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    configure(place, { hooks, servers }) {
      if (hooks.length > 0) place.write('.copilot/hooks/desk.json', { version: 1, hooks: grouped(hooks, copilotUnit) })
      place.write('.copilot/mcp-config.json', { mcpServers: mapped(servers, (server) => ({ type: 'local', tools: ['*'], ...server })) })
    },
    args: (prompt, { flags = ['--allow-all-tools'] }) => ['-p', prompt, '--no-color', '--no-auto-update', ...flags],
  },
  opencode: {
    command: [installed('opencode-ai/bin/opencode.exe')],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: 'true', OPENCODE_DISABLE_MODELS_FETCH: 'true', OPENCODE_DISABLE_LSP_DOWNLOAD: 'true', OPENCODE_DISABLE_DEFAULT_PLUGINS: 'true' }),
    configure(place, { plugin, servers, settings }, model) {
      place.write('.config/opencode/opencode.json', {
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model.url}/v1`, apiKey: 'none' },
            models: { scripted: { name: 'scripted', tool_call: true } },
          },
        },
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        share: 'disabled',
        autoupdate: false,
        mcp: mapped(servers, ({ command, args, env }) => ({ type: 'local', command: [command, ...args], environment: env })),
        ...settings,
      })
      if (plugin !== undefined) place.write('.config/opencode/plugin/desk.js', plugin)
      // A plugin makes opencode install this package first, and without the registry it waits for minutes.
      const dependencies = { '@opencode-ai/plugin': '1.18.33' }
      for (const folder of ['home/.config/opencode', 'work/.opencode']) {
        place.writeBelow(`${folder}/package.json`, { dependencies })
        place.writeBelow(`${folder}/package-lock.json`, { lockfileVersion: 3, packages: { '': { dependencies } } })
        place.writeBelow(`${folder}/node_modules/.package-lock.json`, { lockfileVersion: 3, packages: {} })
      }
    },
    args: (prompt, { flags = [] }) => ['run', ...flags, '--format', 'json', prompt],
  },
}

/** A folder with a home and a workspace for one client, gone at the end. */
export class Place {
  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-agents-')))
    this.home = join(this.root, 'home')
    this.work = join(this.root, 'work')
    mkdirSync(this.home)
    mkdirSync(this.work)
  }

  /** Writes a file below the home; text as it is, all else as JSON. */
  write = (path, content) => this.writeBelow(join('home', path), content)

  /** The text of a file below the folder of all. */
  read = (path) => readFileSync(join(this.root, path), 'utf8')

  /** Writes a file below the folder of all, which others may read unless mode says otherwise. */
  writeBelow(path, content, mode) {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2), { mode })
  }

  /** The environment of whatever is started for the user of this home. */
  get env() {
    const base = { PATH: process.env.PATH, LANG: 'C.UTF-8', SHELL: '/bin/bash', USER: 'someone', HOME: this.home, TMPDIR: this.root }
    const dirs = { XDG_CONFIG_HOME: '.config', XDG_DATA_HOME: '.local/share', XDG_CACHE_HOME: '.cache', XDG_STATE_HOME: '.local/state' }
    return { ...base, ...mapped(dirs, (path) => join(this.home, path)) }
  }

  end() {
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** Sets a client up in a place: its hooks, its MCP servers, and what else it takes. */
export function configure(name, place, model, { hooks = [], servers = {}, ...more } = {}) {
  agents[name].configure(place, { hooks, servers, ...more }, model)
}

const running = new Set()
process.once('exit', () => running.forEach((pid) => signal(-pid, 'SIGKILL')))
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1))

function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Starts a client on a prompt, by the words before it where there are any. ended gives {code, signal, stdout, stderr, ms}; kill ends its group. */
export function launch(name, place, model, { prompt = 'Go on.', within = 60_000, env = {}, before = [], args, stdin = 'ignore', ...options } = {}) {
  const agent = agents[name]
  const began = Date.now()
  const [command, ...first] = [...before, ...agent.command]
  const child = spawn(command, [...first, ...(args ?? agent.args(prompt, options))], {
    cwd: place.work,
    env: { ...place.env, ...quiet, ...agent.env(place, model), ...env },
    stdio: [stdin, 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child.pid)
  const out = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) child[stream].setEncoding('utf8').on('data', (text) => (out[stream] += text))
  const kill = () => signal(-child.pid, 'SIGKILL')
  const late = setTimeout(kill, within)
  const ended = new Promise((resolve) => {
    child.once('exit', (code, sig) => {
      clearTimeout(late)
      kill()
      running.delete(child.pid)
      setTimeout(() => resolve({ code, signal: sig, ...out, ms: Date.now() - began }), 50)
    })
  })
  return { child, ended, kill }
}
