// Slow: two servers start, and their memory is read through.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openSync, readFileSync, readSync } from 'node:fs'
import { SIGNER_PUBLIC_KEY, SIGNER_SECRET, startSigner } from '../gateway/voucher/signer-server.ts'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget } from '../target.ts'
import { spawnPrepd } from './spawned.ts'

const HEX = SIGNER_SECRET.slice(2)
const address = (digit: string) => `0x${digit.repeat(40)}`
const FILE = `[caps.902]
"${address('3')}" = 1000
[[chains]]
chainId = 901
rpcs = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
quorum = 2
vault = "${address('1')}"
startBlock = 0
payableSeconds = 3600
event = "Deposit"
finality = "finalized"
[chains.payouts."${address('2')}".902]
redeemer = "${address('4')}"
token = "${address('3')}"
mul = 1
div = 1
max = 1000
`
const folder = settingsFolder()
let signer: ReturnType<typeof startSigner>
beforeAll(() => {
  signer = startSigner()
  folder.write('local.toml', FILE)
  const remote = `[[signers]]\nurl = "${signer.url}"\npublicKey = "${SIGNER_PUBLIC_KEY}"\n`
  folder.write('remote.toml', `${remote}${FILE}`)
})
afterAll(() => {
  signer.stop()
  folder[Symbol.dispose]()
})

const PAGE_BYTES = 4096
const ENTRY_BYTES = 8

/** Whether a process holds the key, as bytes or as text, in memory that it may write. */
function isInMemory(pid: number): boolean {
  const spellings = [Buffer.from(HEX, 'hex'), Buffer.from(HEX), Buffer.from(HEX, 'utf16le')]
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  return [...writtenRuns(pid)].some(([from, to]) => {
    const bytes = Buffer.alloc(to - from)
    const length = readSync(memory, bytes, 0, bytes.length, from)
    return spellings.some((spelling) => bytes.subarray(0, length).includes(spelling))
  })
}

/** The addresses of pages that are there, by runs: most of what a process reserves it never touches. */
function* writtenRuns(pid: number): Generator<readonly [from: number, to: number]> {
  const pagemap = openSync(`/proc/${pid}/pagemap`, 'r')
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)
  for (const found of maps) {
    const [from = 0, to = 0] = found.slice(1).map((text) => Number.parseInt(text, 16) / PAGE_BYTES)
    const entries = Buffer.alloc((to - from) * ENTRY_BYTES)
    readSync(pagemap, entries, 0, entries.length, from * ENTRY_BYTES)
    // Its two highest bits say that a page is in memory, or swapped out.
    const isThere = (page: number) => ((entries[page * ENTRY_BYTES + 7] ?? 0) & 0xc0) !== 0
    for (let page = 0; page < to - from; page += 1) {
      const first = page
      while (page < to - from && isThere(page)) page += 1
      if (page > first) yield [(from + first) * PAGE_BYTES, (from + page) * PAGE_BYTES]
    }
  }
}

test('a signer that does not sign is on /readyz, and the service goes on', async () => {
  signer.state.answer = () => new Response('', { status: 500 })
  const target = await openTarget('in process', { VOUCHER: folder.path('remote.toml') })
  const seen = async () => Object(await (await target.ops('/readyz')).json())
  while ((await seen()).degraded === undefined) await Bun.sleep(5)
  expect(await seen()).toMatchObject({ ready: true, degraded: ['voucher_signer'] })
  expect((await seen()).reasons.voucher_signer).toContain('does not sign vouchers (http_500)')
  expect(await (await target.ops('/metrics')).text()).toContain('\nprepd_voucher_signer_up 0\n')
  expect(target.log()).toContain('"event":"voucher_signer_away"')
  await target.stop()
  signer.state.answer = null
})

test('the voucher key is in the memory of a server that was given it, and of none whose signer is elsewhere', async () => {
  const common = { OPS_LISTEN: '127.0.0.1:0', VENUE_MARKETS: 'PERP_BTC_USDC' }
  const open = (settings: Record<string, string>) =>
    spawnPrepd({ settings: { ...common, ...settings } })
  const holder = open({
    DATA_DIR: folder.path('one'),
    VOUCHER: folder.path('local.toml'),
    VOUCHER_KEY: HEX,
  })
  const asker = open({ DATA_DIR: folder.path('two'), VOUCHER: folder.path('remote.toml') })
  try {
    await holder.url()
    const ops = await asker.opsUrl()
    while (signer.state.signs === 0) await Bun.sleep(10)
    const ready = async () => Object(await (await fetch(`${ops}/readyz`)).json()).degraded
    expect(await ready()).toBeUndefined()
    expect([isInMemory(holder.pid), isInMemory(asker.pid)]).toEqual([true, false])
    expect(await (await fetch(`${ops}/metrics`)).text()).toContain('\nprepd_voucher_signer_up 1\n')
  } finally {
    for (const server of [holder, asker]) {
      server.kill('SIGTERM')
      await server.ended()
    }
  }
})
