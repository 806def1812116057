/** A Lua script, which the engine runs in one piece: nothing else happens between its commands. */
export type Script = { readonly lua: string; readonly sha: string }

/** The engine's own time in whole milliseconds as `now` of a script: the same for every instance. */
export const ENGINE_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

export function script(lua: string): Script {
  return { lua, sha: new Bun.CryptoHasher('sha1').update(lua).digest('hex') }
}
