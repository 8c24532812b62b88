/** The table of the reader, made from openapi.json by the build (schemas.ts). */
declare module 'virtual:shapes' {
  export const shapes: Readonly<Record<string, Readonly<Record<string, string>> | string>>
}
