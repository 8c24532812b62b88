// A tool's own schema, of whichever library, as a check of an input.

/** Gives a function that checks an input by a schema and gives the checked one, or throws. */
export function checked(schema: unknown): (input: unknown) => Promise<unknown> {
  return async (input) => {
    let s = schema as any
    if (typeof s === 'function' && !('~standard' in s)) s = s() // the AI SDK's lazy schema
    if (typeof s?.['~standard']?.validate === 'function') {
      const result = await s['~standard'].validate(input)
      if (!result.issues) return result.value
      const issues = result.issues.map((issue: any) => issue.message)
      throw new TypeError(`the input does not fit the tool's schema: ${issues.join('; ')}`)
    }
    if (typeof s?.validate === 'function') {
      const result = await s.validate(input)
      if (result.success) return result.value
      throw new TypeError(`the input does not fit the tool's schema: ${result.error}`)
    }
    return typeof s?.parse === 'function' ? s.parse(input) : input
  }
}
