// What both generations of the TypeScript SDK share.

/** A client that can be asked for all that servers ask for. */
export const abilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } }

/** Fixed answers to what a server asks its client. */
export const answers = (roots) => ({
  sampling: async () => ({ model: 'none', role: 'assistant', stopReason: 'endTurn', content: { type: 'text', text: 'as sampled' } }),
  elicitation: async () => ({ action: 'decline' }),
  roots: async () => ({ roots: roots.map((uri) => ({ uri, name: 'scratch' })) }),
})

/** The methods by which the tests use a client. call's options are those of the SDK. */
export function faceOf(client, callTool) {
  return {
    about: async () => ({ server: client.getServerVersion(), abilities: client.getServerCapabilities(), words: client.getInstructions() }),
    tools: () => client.listTools(),
    prompts: () => client.listPrompts(),
    resources: () => client.listResources(),
    templates: () => client.listResourceTemplates(),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    resource: (uri) => client.readResource({ uri }),
    complete: (prompt, argument, value) => client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name: argument, value } }),
    call: (tool, args, options) => callTool({ name: tool, arguments: args }, options),
    progress: async (tool, args) => {
      const steps = []
      const onprogress = (p) => p.message?.startsWith('Fulfilling input') || steps.push(p) // those words are the SDK's own
      const result = await callTool({ name: tool, arguments: args }, { onprogress })
      // The SDK handles an answer at once and progress a turn later: it may miss the last.
      return { steps: steps.slice(0, 2), result }
    },
    close: () => client.close(),
  }
}
