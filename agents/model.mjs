// A scripted model on loopback: it speaks the wire forms of Anthropic (Messages), OpenAI (Responses and
// chat completions) and Google (generateContent), asks for the tools of a script step by step, and keeps
// every tool result that it is shown.
//
// A script is an array of steps. A step is a string, said as the end of the turn, or an array of calls
// made at once: {shell: 'touch x'} for whatever shell tool the client offers, or {tool: /name/, input}.
// A request that offers no such tool (titles, summaries, quota checks) is answered in words and costs no step.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'

// How each client's shell tool wants a line.
const shells = {
  Bash: (line) => ({ command: line, description: 'Run a line' }),
  bash: (line) => ({ command: line, description: 'Run a line' }),
  run_shell_command: (line) => ({ command: line, description: 'Run a line' }),
  exec_command: (line) => ({ cmd: line }),
  shell_command: (line) => ({ command: line }),
  shell: (line) => ({ command: ['bash', '-c', line] }),
}

/** Starts a model; script may be replaced at any time. Gives {url, requests, results, say, end}. */
export async function openModel(script) {
  const model = { script, requests: [], results: [], name: randomBytes(6).toString('hex') }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      try {
        answer(model, request, response, body === '' ? {} : JSON.parse(body))
      } catch (error) {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error.stack))
      }
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  model.url = `http://127.0.0.1:${server.address().port}`
  model.end = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return model
}

function answer(model, request, response, body) {
  const path = new URL(request.url, 'http://x').pathname
  model.requests.push({ method: request.method, path: request.url, body })
  const said = (format) => format.results(body).forEach((result) => keep(model, result))
  const turn = (format) => {
    said(format)
    return next(model, format.offered(body), format.step(body, model))
  }
  if (path.endsWith('/count_tokens')) return json(response, { input_tokens: 10 })
  if (path.endsWith(':countTokens')) return json(response, { totalTokens: 10 })
  if (path.endsWith('/messages')) return anthropic.send(response, body, turn(anthropic))
  if (path.endsWith('/responses')) return responses.send(response, body, turn(responses))
  if (path.endsWith('/chat/completions')) return chat.send(response, body, turn(chat))
  if (/:(stream)?generateContent$/i.test(path)) return google.send(response, path, turn(google))
  if (path.endsWith('/models')) return json(response, { object: 'list', data: [{ id: 'scripted', object: 'model' }], models: [] })
  json(response, {}, 404)
}

function keep(model, result) {
  if (!model.results.some((kept) => kept.id === result.id && kept.text === result.text)) model.results.push(result)
}

/** What the model says now: {text} or {calls: [{id, name, namespace, input}]}. */
function next(model, offered, index) {
  const step = model.script[index] ?? 'Done.'
  if (typeof step === 'string') return { text: step }
  const calls = step.map((wanted, i) => {
    const found = offered.find((tool) => (wanted.shell === undefined ? wanted.tool.test(tool.name) : shells[tool.name]))
    if (found === undefined) return undefined
    const input = wanted.shell === undefined ? wanted.input : shells[found.name](wanted.shell)
    return { id: `${model.name}s${index}i${i}`, ...found, input }
  })
  return calls.includes(undefined) ? { text: 'OK' } : { calls }
}

/** The step after the last one whose calls a conversation names. */
function after(model, ids) {
  const steps = ids.map((id) => new RegExp(`${model.name}s(\\d+)i`).exec(id ?? '')?.[1]).filter((found) => found !== undefined)
  return steps.length === 0 ? 0 : Math.max(...steps.map(Number)) + 1
}

const flat = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join('\n')

const anthropic = {
  offered: (body) => (body.tools ?? []).map(({ name }) => ({ name })),
  step: (body, model) => after(model, blocks(body, 'tool_use').map((block) => block.id)),
  results: (body) =>
    blocks(body, 'tool_result').map((block) => ({ id: block.tool_use_id, text: flat(block.content), error: block.is_error === true })),
  send(response, body, { text, calls }) {
    const content = calls?.map(({ id, name, input }) => ({ type: 'tool_use', id: `toolu_${id}`, name, input })) ?? [{ type: 'text', text }]
    const message = { id: `msg_${randomBytes(6).toString('hex')}`, type: 'message', role: 'assistant', model: body.model, content: [] }
    const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const stop = { stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null }
    if (!body.stream) return json(response, { ...message, content, ...stop, usage })
    const send = stream(response)
    send({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } })
    content.forEach((block, index) => {
      const start = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} }
      send({ type: 'content_block_start', index, content_block: start })
      const delta =
        block.type === 'text'
          ? { type: 'text_delta', text: block.text }
          : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      send({ type: 'content_block_delta', index, delta })
      send({ type: 'content_block_stop', index })
    })
    send({ type: 'message_delta', delta: stop, usage })
    send({ type: 'message_stop' })
    response.end()
  },
}

const blocks = (body, type) =>
  body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.filter((block) => block.type === type)))

const responses = {
  offered: (body) =>
    (body.tools ?? []).flatMap((tool) =>
      tool.type === 'namespace' ? tool.tools.map(({ name }) => ({ name, namespace: tool.name })) : [{ name: tool.name ?? tool.type }],
    ),
  step: (body, model) => after(model, items(body).map((item) => item.call_id)),
  results: (body) =>
    items(body)
      .filter((item) => /call_output$/.test(item.type))
      .map((item) => ({ id: item.call_id, text: flat(item.output?.content ?? item.output) })),
  send(response, body, { text, calls }) {
    const output = calls?.map(({ id, name, namespace, input }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: `call_${id}`,
      name,
      ...(namespace && { namespace }),
      arguments: JSON.stringify(input),
      status: 'completed',
    })) ?? [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }]
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20, input_tokens_details: { cached_tokens: 0 } }
    usage.output_tokens_details = { reasoning_tokens: 0 }
    const whole = { id: `resp_${randomBytes(6).toString('hex')}`, object: 'response', created_at: 1, model: body.model, status: 'completed' }
    if (!body.stream) return json(response, { ...whole, output, usage })
    const send = stream(response)
    send({ type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } })
    output.forEach((item, output_index) => {
      const open = item.type === 'message' ? { ...item, content: [] } : { ...item, arguments: '' }
      send({ type: 'response.output_item.added', output_index, item: { ...open, status: 'in_progress' } })
      const at = { item_id: item.id, output_index }
      if (item.type === 'message') {
        send({ type: 'response.content_part.added', ...at, content_index: 0, part: { type: 'output_text', text: '', annotations: [] } })
        send({ type: 'response.output_text.delta', ...at, content_index: 0, delta: text })
        send({ type: 'response.output_text.done', ...at, content_index: 0, text })
        send({ type: 'response.content_part.done', ...at, content_index: 0, part: item.content[0] })
      } else {
        send({ type: 'response.function_call_arguments.delta', ...at, delta: item.arguments })
        send({ type: 'response.function_call_arguments.done', ...at, arguments: item.arguments })
      }
      send({ type: 'response.output_item.done', output_index, item })
    })
    send({ type: 'response.completed', response: { ...whole, output, usage } })
    response.end()
  },
}

const items = (body) => (Array.isArray(body.input) ? body.input : [])

const chat = {
  offered: (body) => (body.tools ?? []).map((tool) => ({ name: tool.function?.name })),
  step: (body, model) => after(model, body.messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.id))),
  results: (body) =>
    body.messages.filter((message) => message.role === 'tool').map((message) => ({ id: message.tool_call_id, text: flat(message.content) })),
  send(response, body, { text, calls }) {
    const tool_calls = calls?.map(({ id, name, input }, index) => ({
      index,
      id: `call_${id}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }))
    const message = { role: 'assistant', content: text ?? null, ...(tool_calls && { tool_calls }) }
    const finish_reason = calls ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    const whole = { id: `chatcmpl-${randomBytes(6).toString('hex')}`, created: 1, model: body.model }
    if (!body.stream) {
      return json(response, { ...whole, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage })
    }
    const send = stream(response)
    const chunk = { ...whole, object: 'chat.completion.chunk' }
    send({ ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] })
    send({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage })
    response.end('data: [DONE]\n\n')
  },
}

const parts = (body, kind) => (body.contents ?? []).flatMap((content) => (content.parts ?? []).filter((part) => part[kind] !== undefined))

const google = {
  offered: (body) => (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => ({ name }))),
  step: (body) => (body.contents ?? []).filter((content) => content.parts?.some((part) => part.functionCall)).length,
  results: (body) =>
    parts(body, 'functionResponse').map(({ functionResponse: { id, name, response } }, at) => ({
      id: id ?? `${name}-${at}`,
      text: typeof response.output === 'string' ? response.output : (response.error ?? JSON.stringify(response)),
      error: response.error !== undefined,
    })),
  send(response, path, { text, calls }) {
    const said = calls?.map(({ id, name, input }) => ({ functionCall: { id, name, args: input }, thoughtSignature: 'c2lnbmVk' })) ?? [{ text }]
    const whole = {
      candidates: [{ content: { role: 'model', parts: said }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: 'scripted',
    }
    if (/:generateContent$/.test(path)) return json(response, whole)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify(whole)}\n\n`)
  },
}

function json(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** A sender of events: named where the event has a type, as both vendors do. */
function stream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (event) => response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
}
