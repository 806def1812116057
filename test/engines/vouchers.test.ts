import { afterAll, beforeAll, expect, test } from 'bun:test'
import { VOUCHER_REFUSALS } from '../../src/spec/voucher.ts'
import { jsonPost } from '../caller.ts'
import type { Mined } from '../evm/chain.ts'
import { configText, redeem } from '../evm/desk.ts'
import { openStage, SOURCE_ID, type Stage } from '../evm/stage.ts'
import { settingsFolder } from '../settings-folder.ts'
import { recordedAnswer, startRecordedVenue } from '../surface/recorded-venue.ts'
import { spawnPrepd } from '../surface/spawned.ts'
import { type Instance, startInstances } from './instances.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { type RunningValkey, startValkey } from './valkey.ts'

const ISSUERS = 16
const EACH = 25_000_000n
const PAID_AT_MOST = 6
/** Not quite enough for one more. */
const CAP = BigInt(PAID_AT_MOST + 1) * EACH - 1n

/** Of answers after which a caller asks again. */
const LATER = ['pending', VOUCHER_REFUSALS.unkept.error]

const folder = settingsFolder()
let stage: Stage
let postgres: PostgresServer
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let url = ''
let instances: readonly Instance[] = []

beforeAll(async () => {
  ;[stage, postgres, valkey, venue] = await Promise.all([
    openStage(Math.floor(Date.now() / 1000) - 60),
    startPostgres(),
    startValkey(),
    startRecordedVenue(recordedAnswer),
  ])
  url = await postgres.newDatabase()
  const settings = {
    VOUCHER: folder.write('voucher.toml', configText(stage, { cap: CAP, max: EACH })),
    VOUCHER_KEY: '07'.repeat(32),
  }
  const shared = { POSTGRES: url, VALKEY: valkey.url, VENUE: venue.url }
  const argv = ['--mode', 'admin', 'voucher', 'adopt']
  const adopted = await spawnPrepd({ argv, settings: { ...shared, ...settings } }).ended()
  expect(adopted.code).toBe(0)
  instances = await startInstances(3, {
    postgres: url,
    valkey: valkey.url,
    venue: venue.url,
    settings,
  })
})
afterAll(async () => {
  await Promise.all(instances.map(({ stop }) => stop()))
  await Promise.all([stage, postgres, valkey, venue].map(({ stop }) => stop()))
  folder[Symbol.dispose]()
})

/** Asks an instance for the voucher of a deposit, until it has seen that the deposit is final, and could record it. */
async function ask(instance: Instance, { transactionHash: txHash }: Mined) {
  const body = jsonPost({ chainId: SOURCE_ID, txHash })
  for (;;) {
    const response = await fetch(`${instance.url}/api/relayer/voucher`, body)
    const answer = { status: response.status, text: await response.text() }
    if (!LATER.some((word) => answer.text.includes(word))) return answer
    await Bun.sleep(20)
  }
}

/** Asks every instance, all of them at once. */
function askAll(deposit: Mined) {
  return Promise.all(instances.map((instance) => ask(instance, deposit)))
}

function kept(query: string) {
  return postgres.ask(query, new URL(url).pathname.slice(1))
}

test('many who ask three instances for one deposit get one voucher, which is paid once', async () => {
  const deposit = await stage.deposit({ amount: EACH })
  await stage.finalise()
  const asked = await Promise.all(Array.from({ length: ISSUERS }, () => askAll(deposit)))
  const answers = asked.flat()
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(await kept('SELECT event FROM prepd_voucher_audit ORDER BY id')).toEqual([
    { event: 'adopted' },
    { event: 'issued' },
  ])
  const issued = JSON.parse(answers[0]?.text ?? '')
  expect((await redeem(stage, issued)).status).toBe('0x1')
  expect((await redeem(stage, issued)).status).toBe('0x0')
})

test('many deposits of one token at three instances are paid up to its cap, and no further', async () => {
  const deposits: Mined[] = []
  for (let made = 0; made < ISSUERS; made += 1) deposits.push(await stage.deposit({ amount: EACH }))
  await stage.finalise()
  const asked = await Promise.all(deposits.map(askAll))
  const issued = asked.map((row) => row.filter(({ status }) => status === 200))
  for (const { status, text } of asked.flat()) {
    const { unavailable } = VOUCHER_REFUSALS
    if (status !== 200) expect({ status, ...JSON.parse(text) }).toEqual({ ...unavailable })
  }
  for (const row of issued) expect(new Set(row.map(({ text }) => text)).size).toBeLessThan(2)
  expect(issued.filter((row) => row.length > 0)).toHaveLength(PAID_AT_MOST - 1)
  expect(
    await kept('SELECT count(*)::int AS rows, sum(amount)::text AS sum FROM prepd_vouchers'),
  ).toEqual([{ rows: PAID_AT_MOST, sum: String(BigInt(PAID_AT_MOST) * EACH) }])
})
