/** A process of its own that asks for vouchers of a stage, for the tests of several gateways on one database. */
import { openVoucherFixture } from './fixture.ts'
import type { Stage } from './stage.ts'

type Orders = Pick<Stage, 'contracts'> & {
  readonly urls: readonly [string, string]
  readonly nowMs: number
  readonly folder: string
  readonly cap: string
  readonly hashes: readonly `0x${string}`[]
}

const orders: Orders = JSON.parse(Bun.argv[2] ?? '')
const endpoint = (url: string) => ({
  url,
  meddle: () => undefined,
  taken: () => [],
  stop: async () => undefined,
})
const [one, other] = orders.urls
const stage = {
  contracts: orders.contracts,
  endpoints: [endpoint(one), endpoint(other), endpoint(other)] as const,
  clock: { nowMs: () => orders.nowMs },
}
const fixture = openVoucherFixture(stage, { folder: orders.folder, cap: BigInt(orders.cap) })
// It waits for a line on standard input, so that all processes begin together.
await Bun.write(Bun.stdout, 'ready\n')
await Bun.stdin.text()
const answers = await Promise.all(orders.hashes.map((hash) => fixture.ask(hash)))
const lines = answers.map(({ status, text }) => ({ status, text }))
await Bun.write(Bun.stdout, JSON.stringify(lines))
fixture.store.close()
