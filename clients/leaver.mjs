// A client process to be killed: asks for one call and waits for its answer.
// Arguments: the client's module, the way and the call, as JSON.

const [module, way, call] = process.argv.slice(2)
const { open } = await import(module)
const client = await open(JSON.parse(way), { client: 'long' })
await client.call(...JSON.parse(call))
