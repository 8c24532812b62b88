// The command-line agents as they are started here: each in a home of its own in a temporary folder, with the
// scripted model as its only host, telemetry and updates off, and its whole process group ended with it.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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

const claude = (program) => ({
  command: [program],
  env: (place, model) => ({
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-none',
    CLAUDE_CONFIG_DIR: join(place.home, '.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    MCP_CONNECTION_NONBLOCKING: 'false',
    MCP_TIMEOUT: '60000',
    ENABLE_TOOL_SEARCH: 'false',
  }),
  hooksFile: '.claude/settings.json',
  projectHooksFile: '.claude/settings.json',
  configure(place, { hooks, servers, settings }) {
    place.write('.claude/settings.json', { ...settings, hooks: grouped(hooks, claudeUnit) })
    place.write('.claude/.claude.json', {
      hasCompletedOnboarding: true,
      mcpServers: servers,
      projects: { [place.work]: { hasTrustDialogAccepted: true } },
    })
  },
  args: (prompt, { mode = 'default' }) => ['-p', prompt, '--permission-mode', mode, '--output-format', 'json', '--model', 'claude-sonnet-4-5'],
})

/** Every client by the name that its figures go by. */
export const agents = {
  claude: claude(installed('@anthropic-ai/claude-code/bin/claude.exe')),
  'claude-2.1.197': claude(installed('claude-code-2.1.197/bin/claude.exe')),
  codex: {
    command: [node, installed('@openai/codex/bin/codex.js')],
    env: (place) => ({ CODEX_HOME: join(place.home, '.codex'), OPENAI_API_KEY: 'none' }),
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
    env: (place, model) => ({
      GEMINI_CLI_HOME: place.home,
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    configure(place, { hooks, servers, settings }) {
      const unit = (hook) => ({ matcher: hook.matcher ?? '*', hooks: [{ name: 'desk', type: 'command', command: hook.command, timeout: (hook.timeout ?? 30) * 1000 }] })
      place.write('.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        mcpServers: servers,
        hooks: grouped(hooks, unit),
        ...settings,
      })
    },
    args: (prompt, { mode = 'yolo' }) => ['-p', prompt, '--approval-mode', mode, '--model', 'gemini-2.5-flash', '--output-format', 'json'],
  },
  copilot: {
    command: [node, installed('@github/copilot/npm-loader.js')],
    env: (place, model) => ({
      COPILOT_HOME: join(place.home, '.copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    configure(place, { hooks, servers }) {
      const unit = (hook) => ({ type: 'command', bash: hook.command, timeoutSec: hook.timeout ?? 30 })
      place.write('.copilot/hooks/desk.json', { version: 1, hooks: grouped(hooks, unit) })
      place.write('.copilot/mcp-config.json', { mcpServers: Object.fromEntries(Object.entries(servers).map(([id, server]) => [id, { type: 'local', tools: ['*'], ...server }])) })
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
        mcp: Object.fromEntries(Object.entries(servers).map(([id, { command, args, env }]) => [id, { type: 'local', command: [command, ...args], environment: env }])),
        ...settings,
      })
      if (plugin === undefined) return
      place.write('.config/opencode/plugin/desk.js', plugin)
      // A plugin makes opencode install this package first, and without the registry it waits for minutes.
      const dependencies = { '@opencode-ai/plugin': '1.18.33' }
      place.write('.config/opencode/package.json', { dependencies })
      place.write('.config/opencode/package-lock.json', { lockfileVersion: 3, packages: { '': { dependencies } } })
      place.write('.config/opencode/node_modules/.package-lock.json', { lockfileVersion: 3, packages: {} })
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
  write(path, content, mode) {
    const file = join(this.home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2), { mode })
    return file
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

/** Starts a client on a prompt. ended gives {code, signal, stdout, stderr, ms}; kill ends its group. */
export function launch(name, place, model, { prompt = 'Go on.', within = 60_000, env = {}, args, stdin = 'ignore', ...options } = {}) {
  const agent = agents[name]
  const base = { PATH: process.env.PATH, LANG: 'C.UTF-8', SHELL: '/bin/bash', USER: 'someone', HOME: place.home, TMPDIR: place.root }
  const dirs = { XDG_CONFIG_HOME: join(place.home, '.config'), XDG_DATA_HOME: join(place.home, '.local/share') }
  Object.assign(dirs, { XDG_CACHE_HOME: join(place.home, '.cache'), XDG_STATE_HOME: join(place.home, '.local/state') })
  const began = Date.now()
  const [command, ...first] = agent.command
  const child = spawn(command, [...first, ...(args ?? agent.args(prompt, options))], {
    cwd: place.work,
    env: { ...base, ...quiet, ...dirs, ...agent.env(place, model), ...env },
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
