import openapiTS, { astToString } from 'openapi-typescript'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemasOf, type Schemas } from '../../schemas'

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as { openapi: string; info: object; components: { schemas: Schemas } }

/** The types of a document, as text. */
async function typesOf({ openapi, info, components }: typeof document): Promise<string> {
  const made = await openapiTS({ openapi, info, paths: {}, components: { schemas: schemasOf({ components }) } } as Parameters<typeof openapiTS>[0])
  return `/** Made from openapi.json by \`npm run types\`. */\n\n${astToString(made)}`
}

describe('the types of the API', () => {
  it('are those of openapi.json; npm run types renews them', async () => {
    await expect(await typesOf(document)).toMatchFileSnapshot('schemas.d.ts')
  })

  it('are others when the document is', async () => {
    const { schemas } = document.components
    const other = { ...document, components: { schemas: { ...schemas, Status: { ...schemas.Status, enum: ['pending'] } } } }
    expect(await typesOf(other)).not.toBe(readFileSync('src/desk/schemas.d.ts', 'utf8'))
  })

  it('cannot be made when the document no longer has what is taken of it', () => {
    const { schemas } = document.components
    const without = Object.fromEntries(Object.entries(schemas).filter(([name]) => name !== 'Effect'))
    expect(() => schemasOf({ components: { schemas: without } })).toThrow('Effect')
  })
})
