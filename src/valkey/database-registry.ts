import {
  CONFIRMED_MS,
  type DatabaseRegistry,
  type DatabaseVerdict,
  DEPLOYMENT_KEPT_MS,
  EngineAway,
} from '../core/engines/health.ts'
import type { Engine } from './engine.ts'
import { ENGINE_CLOCK, script } from './script.ts'

const KEY = 'prepd:database'

/** ARGV is deployment, cluster, timeline and the three marks. Answers a refusal, or the marks and what is left. */
const EXCHANGE = script(`${ENGINE_CLOCK}
local known = redis.call('HMGET', KEYS[1], 'deployment', 'cluster', 'timeline', 'claims', 'vouchers', 'seen', 'from', 'signed')
local silent = now - (tonumber(known[6]) or 0)
local fromMs = tonumber(known[7]) or 0
if known[1] and known[1] ~= ARGV[1] then
  if silent < ${DEPLOYMENT_KEPT_MS} then return {'deployment'} end
  known = {}
elseif known[2] and known[2] ~= ARGV[2] then
  if silent < ${CONFIRMED_MS} then return {'cluster'} end
elseif known[3] and tonumber(known[3]) ~= tonumber(ARGV[3]) then
  if tonumber(known[3]) > tonumber(ARGV[3]) then return {'timeline'} end
  fromMs = now + math.max(0, ${CONFIRMED_MS} - silent)
end
local claims = math.max(tonumber(known[4] or 0), tonumber(ARGV[4]))
local vouchers = math.max(tonumber(known[5] or 0), tonumber(ARGV[5]))
local signed = math.max(tonumber(known[8] or 0), tonumber(ARGV[6]))
redis.call('HSET', KEYS[1], 'deployment', ARGV[1], 'cluster', ARGV[2], 'timeline', ARGV[3],
  'claims', string.format('%.0f', claims), 'vouchers', string.format('%.0f', vouchers),
  'signed', string.format('%.0f', signed), 'seen', now, 'from', fromMs)
return {'', claims, vouchers, signed, math.max(0, fromMs - now)}`)

/** What instances remember of their PostgreSQL in Valkey. Throws EngineAway. */
export function databaseRegistry({ run }: Pick<Engine, 'run'>): DatabaseRegistry {
  return {
    exchange: async ({ deployment, cluster, timeline, claims, vouchers, signedMs }) =>
      verdictOf(
        await run(
          EXCHANGE,
          [KEY],
          [deployment, cluster, timeline, claims, vouchers, signedMs].map(String),
        ),
      ),
  }
}

function verdictOf(reply: unknown): DatabaseVerdict {
  const [refused, ...figures] = Array.isArray(reply) ? reply.map(String) : []
  if (refused === 'deployment' || refused === 'cluster' || refused === 'timeline')
    return { refused }
  const [claims, vouchers, signedMs, predecessorLeftMs] = figures.map(Number)
  if (
    claims === undefined ||
    vouchers === undefined ||
    signedMs === undefined ||
    predecessorLeftMs === undefined
  )
    throw new EngineAway('refused')
  return { refused: null, marks: { claims, vouchers, signedMs }, predecessorLeftMs }
}
