/** bun test/bench/mandate.ts: what the gate of mandates adds to a relayed write of an account that has none, beside the whole write. */
import { relay } from '../../src/gateway/relay/relay.ts'
import { createScrub } from '../../src/gateway/scrub/scrub.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { envelope, newCaller } from '../caller.ts'
import { FROM, openInstance } from '../gateway/standby/instance.ts'

const STEPS = 100_000
const WRITES = 1000
const ROUNDS = 5

const body = '{"success":true,"timestamp":1,"data":{"order_id":1,"error_message":"none"}}'
let nowMs = Date.now()
const { gateway, prove } = await openInstance({
  store: openSqlite(':memory:', nowMs),
  nowMs: () => nowMs,
  send: async () => ({ status: 200, body }),
})
const caller = newCaller()
await prove(caller)

/** Microseconds of one of so many steps, in the fastest of a few rounds. */
async function microsOf(count: number, step: () => Promise<unknown>): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now()
    for (let at = 0; at < count; at += 1) await step()
    rounds.push(((performance.now() - startedMs) * 1000) / count)
  }
  return Math.min(...rounds)
}

const accountId = caller.accountId.toLowerCase()
const signed = { name: 'POST /v1/order', body: '{}', identity: 'x', expiresAtMs: nowMs }
const write = { accountId, ...signed, proven: true }
const reply = createScrub({ names: [] }).text('{}', { audience: 'private' })
const send = async () => reply
const bare = await microsOf(STEPS, async () => send())
const gated = await microsOf(STEPS, async () => {
  const bound = gateway.gate.bound(write)
  await bound.use()
  return bound.send(send, () => false)
})
const whole = await microsOf(WRITES, () => {
  nowMs += 1
  const order = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_BTC_USDC"}' } as const
  return relay(gateway, envelope(caller, { ...order, timestamp: String(nowMs) }), FROM)
})
const share = ((gated - bare) / whole) * 100
process.stdout.write(
  `the gate adds ${(gated - bare).toFixed(2)} us to ${whole.toFixed(0)} us in process (${share.toFixed(2)} %)\n`,
)
gateway.store.close()
