/** A Lua script, which the engine runs atomically. */
export type Script = { readonly lua: string; readonly sha: string }

/** Sets `now` in a script: the engine's time in whole milliseconds, the same clock for every instance. */
export const ENGINE_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

export function script(lua: string): Script {
  return { lua, sha: new Bun.CryptoHasher('sha1').update(lua).digest('hex') }
}
