// All that a client sees of a server.

/** What is asked of a server, by the methods of a client's face: [method, ...arguments]. */
export function plan(server, folder) {
  const lists = [['about'], ['tools'], ['prompts'], ['resources'], ['templates']]
  return [...lists, ...(server.startsWith('everything') ? everything : filesystem(folder))]
}

const everything = [
  ['prompt', 'simple-prompt', {}],
  ['prompt', 'args-prompt', { city: 'Kyōto' }],
  ['prompt', 'args-prompt', {}],
  ['complete', 'completable-prompt', 'department', 'E'],
  ['resource', 'demo://resource/dynamic/text/2'],
  ['resource', 'demo://resource/dynamic/blob/1'],
  ['resource', 'demo://resource/no/such'],
  ['call', 'echo', { message: '關所 \u2028 \u{1F6A7} \\ "' }],
  ['call', 'get-sum', { a: 9007199254740991, b: -0.5 }],
  ['call', 'get-sum', { a: 'one', b: 2 }],
  ['call', 'get-tiny-image', {}],
  ['call', 'get-annotated-message', { messageType: 'error', includeImage: true }],
  ['call', 'get-structured-content', { location: 'Chicago' }],
  ['call', 'get-resource-links', { count: 3 }],
  ['call', 'get-resource-reference', { resourceType: 'Text', resourceId: 2 }],
  ['call', 'gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,sekisho', outputType: 'resource' }],
  ['call', 'no-such-tool', {}],
  ['call', 'trigger-sampling-request', { prompt: 'say', maxTokens: 10 }],
  ['call', 'trigger-elicitation-request', {}],
  ['progress', 'trigger-long-running-operation', { duration: 0.3, steps: 3 }],
]

const filesystem = (folder) => [
  ['call', 'list_allowed_directories', {}],
  ['call', 'write_file', { path: `${folder}/a.txt`, content: 'x\r\ny\n' }],
  ['call', 'edit_file', { path: `${folder}/a.txt`, edits: [{ oldText: 'y', newText: 'z' }], dryRun: true }],
  ['call', 'read_text_file', { path: `${folder}/a.txt` }],
  ['call', 'read_text_file', { path: `${folder}/none.txt` }],
  ['call', 'read_text_file', { path: '/etc/passwd' }],
  ['call', 'list_directory', { path: folder }],
  ['call', 'directory_tree', { path: folder }],
  ['call', 'move_file', { source: `${folder}/a.txt`, destination: `${folder}/b.txt` }],
  ['call', 'read_multiple_files', { paths: [`${folder}/b.txt`, `${folder}/a.txt`] }],
  ['call', 'search_files', { path: folder, pattern: '*.txt' }],
  ['call', 'move_file', { source: `${folder}/b.txt`, destination: `${folder}/a.txt` }],
]

/**
 * What a client sees, question by question, errors included. A client that cannot ask a
 * thing is not asked. What differs between two runs by its nature is evened out.
 */
export async function survey(client, questions) {
  const seen = []
  for (const [method, ...args] of questions) {
    if (client[method]) seen.push({ asked: [method, ...args], ...(await told(() => client[method](...args))) })
  }
  return seen
}

async function told(ask) {
  try {
    return { answer: even(await ask()) }
  } catch (error) {
    return { error: even({ name: error.name, code: error.code, message: error.message, data: error.data }) }
  }
}

const clock = /\d{1,2}:\d\d:\d\d\s[AP]M/g

function even(value) {
  const text = JSON.stringify(value ?? null, (key, v) => {
    if (key === 'durations' && v) return Object.keys(v)
    if (key === 'blob' && typeof v === 'string') return Buffer.from(v, 'base64').toString('latin1').replace(clock, 'TIME')
    return typeof v === 'string' ? v.replace(clock, 'TIME') : v
  })
  return JSON.parse(text)
}
