// A scripted model of the AI SDK, in each version's form. Its step is told by the history that it
// is given, so that another process goes on where one ended.

const specification = { 5: 'v2', 6: 'v3', 7: 'v4' }

/** The steps of a script are lists of calls `[toolCallId, toolName, input]`, or a text. */
export function scripted(version, steps) {
  const prompts = []
  const shown = []
  const next = ({ prompt, tools = [] }) => {
    prompts.push(prompt)
    shown.push(tools.map(({ name }) => name))
    const step = steps[prompt.filter((message) => message.role === 'assistant').length] ?? 'Done.'
    if (typeof step === 'string') return { content: [{ type: 'text', text: step }], reason: 'stop' }
    const content = step.map(([toolCallId, toolName, input]) => {
      return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }
    })
    return { content, reason: 'tool-calls' }
  }
  const ended = (reason) => ({
    finishReason: version === 5 ? reason : { unified: reason, raw: reason },
    usage:
      version === 5
        ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
        : {
            inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: 1, text: 1, reasoning: undefined },
          },
  })
  return {
    specificationVersion: specification[version],
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    prompts,
    /** The names of the tools that the model was shown, for each prompt. */
    shown,
    /** All that the model was told, as text. */
    told: () => JSON.stringify(prompts),
    async doGenerate(o) {
      const { content, reason } = next(o)
      return { content, ...ended(reason), warnings: [] }
    },
    async doStream(o) {
      const { content, reason } = next(o)
      const parts = content.flatMap((part) =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: part.text },
              { type: 'text-end', id: 't' },
            ]
          : [part],
      )
      const all = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', ...ended(reason) }]
      return { stream: ReadableStream.from(all) }
    },
  }
}
