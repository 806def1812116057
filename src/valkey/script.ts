import { createHash } from 'node:crypto'

/** A Lua script, which the engine runs in one piece: nothing else happens between its commands. */
export type Script = { readonly lua: string; readonly sha: string }

export function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
