import { type Script, script } from './script.ts'

/** Computes a window's debt like `gateway/limits/gcra.ts`, in units of 1/requests of a millisecond, without a bound. */
const DEBT = `
local function debtOf(at, requests)
  if not at or at <= now then return 0 end
  return math.floor((at - now) * requests + 0.5)
end
local function keep(key, at)
  if at <= now then redis.call('DEL', key) return end
  redis.call('SET', key, string.format('%.17g', at), 'PX', math.ceil(at - now))
end`

/**
 * Charges one request to a window. ARGV: requests, seconds, burst. Returns whether the request was allowed, and the
 * window's new debt.
 */
export function takeScript(clock: string): Script {
  return script(`${clock}${DEBT}
local requests, cost = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000
local debt = debtOf(tonumber(redis.call('GET', KEYS[1]) or ''), requests)
local after = debt + cost
if after > tonumber(ARGV[3]) * cost then return {0, debt} end
keep(KEYS[1], now + after / requests)
return {1, after}`)
}

/**
 * Adds already admitted requests to windows, without a limit. ARGV, per key: requests, seconds, the number of admitted
 * requests, and the age of the first request in milliseconds. The requests count from that moment on, so the debt that
 * has been paid off since then is deducted. Returns the debt of each window.
 */
export function pushScript(clock: string): Script {
  return script(`${clock}${DEBT}
local debts = {}
for i, key in ipairs(KEYS) do
  local requests, seconds = tonumber(ARGV[i * 4 - 3]), tonumber(ARGV[i * 4 - 2])
  local count, since = tonumber(ARGV[i * 4 - 1]), tonumber(ARGV[i * 4])
  local at = tonumber(redis.call('GET', key) or '') or 0
  if count > 0 then
    at = math.max(at, now - since) + count * seconds * 1000 / requests
    keep(key, at)
  end
  debts[i] = debtOf(at, requests)
end
return debts`)
}
