// Slow: executables are replaced one after the other before two engines and two chains.
import { expect } from 'bun:test'
import { VOUCHER_REFUSALS } from '../../src/contract/voucher.ts'
import { voucherSigner } from '../../src/gateway/voucher/signers.ts'
import type { Mined } from '../evm/chain.ts'
import { configText, redeem } from '../evm/fixture.ts'
import { openStage, type Stage } from '../evm/stage.ts'
import { testsNeeding } from '../programs.ts'
import { settingsFolder } from '../settings-folder.ts'
import { recordedAnswer, startRecordedVenue } from '../surface/recorded-venue.ts'
import { spawnPrepd } from '../surface/spawned.ts'
import { type InstanceProcess, type Shared, startInstance, startInstances } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { answers, until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'
import { askVoucher } from './voucher-caller.ts'

const { afterAll, beforeAll, test } = testsNeeding(
  'vouchers of several instances',
  ...VALKEY_PROGRAMS,
)

const ISSUERS = 16
const EACH = 25_000_000n
const PAID_AT_MOST = 6
/** Not quite enough for one more. */
const CAP = BigInt(PAID_AT_MOST + 1) * EACH - 1n

const OLD = '07'.repeat(32)
const NEW = '08'.repeat(32)
const [OLD_ADDRESS, NEW_ADDRESS] = [OLD, NEW].map(
  (key) => voucherSigner(Uint8Array.fromHex(key)).address,
)

const folder = settingsFolder()
let stage: Stage
let postgres: SharedPostgres
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let url = ''
/** Final before any instance looks at the chain, so that none waits to see it. */
const spare: Mined[] = []
let shared: Shared
let instances: readonly InstanceProcess[] = []

beforeAll(async () => {
  ;[stage, postgres, valkey, venue] = await Promise.all([
    openStage(Math.floor(Date.now() / 1000) - 60),
    sharedPostgres(),
    startValkey(),
    startRecordedVenue(recordedAnswer),
  ])
  url = await postgres.readyDatabase()
  const settings = {
    VOUCHER: folder.write('voucher.toml', configText(stage, { cap: CAP, max: EACH })),
    VOUCHER_KEY: OLD,
  }
  for (let made = 0; made < 5; made += 1) spare.push(await stage.deposit({ amount: 1n }))
  await stage.finalise()
  const engines = { POSTGRES: url, VALKEY: valkey.url, VENUE: venue.url }
  const argv = ['--mode', 'admin', 'voucher', 'adopt']
  const adopted = await spawnPrepd({ argv, settings: { ...engines, ...settings } }).ended()
  expect(adopted.code).toBe(0)
  shared = { postgres: url, valkey: valkey.url, venue: venue.url, settings }
  instances = await startInstances(3, shared)
})
afterAll(async () => {
  await Promise.all(instances.map(({ stop }) => stop()))
  await Promise.all([stage, valkey, venue].map(({ stop }) => stop()))
  folder[Symbol.dispose]()
})

/** Asks every instance, all of them at once. */
function askAll(deposit: Mined) {
  return Promise.all(instances.map((instance) => askVoucher(instance, deposit)))
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

/** The environment of one more instance, whose first key signs. */
function withKeys(...keys: readonly string[]): Shared {
  return { ...shared, settings: { ...shared.settings, VOUCHER_KEY: keys.join('\n') } }
}

/** How a start ends that is refused: one that took PostgreSQL for away, on a busy machine, could not know. */
async function refused(keys: readonly string[]) {
  const { postgres: POSTGRES, valkey: VALKEY = '', venue: VENUE, settings } = withKeys(...keys)
  const engines = { DATA_DIR: folder.path('refused'), POSTGRES, VALKEY, VENUE, LOG: 'warn' }
  for (;;) {
    const prepd = spawnPrepd({ settings: { ...engines, ...settings } })
    const began = await answers(() => prepd.url())
    if (began) prepd.kill('SIGKILL')
    const ended = await prepd.ended()
    if (!began || !ended.stderr.includes('"engine_away"')) return ended
  }
}

/** What doctor says of the voucher store to an instance with these keys. */
async function doctorSeen(keys: readonly string[]): Promise<string> {
  const { postgres: POSTGRES, valkey: VALKEY = '', venue: VENUE, settings } = withKeys(...keys)
  const argv = ['--mode', 'admin', 'doctor']
  const doctor = spawnPrepd({ argv, settings: { POSTGRES, VALKEY, VENUE, ...settings } })
  const { stdout } = await doctor.ended()
  return stdout
}

function signerOf({ text }: { readonly text: string }): string {
  return String(JSON.parse(text).signer).toLowerCase()
}

/** Asks every instance, in this order, for a voucher that nobody has asked for; all must give one text. */
async function issueAtAll(): Promise<{ readonly deposit: Mined; readonly text: string }> {
  const deposit = spare.pop()
  if (!deposit) throw new Error('no deposit is left')
  const texts: string[] = []
  for (const instance of instances) texts.push((await askVoucher(instance, deposit)).text)
  expect(new Set(texts).size).toBe(1)
  return { deposit, text: texts[0] ?? '' }
}

test('an instance with another voucher key alone does not start beside those that live', async () => {
  const { code, stderr } = await refused([NEW])
  expect(code).toBe(1)
  expect(stderr).toContain(
    `PREPD_VOUCHER_KEY ${NEW_ADDRESS}: another instance signs vouchers with ${OLD_ADDRESS}`,
  )
  for (const key of [OLD, NEW]) expect(stderr).not.toContain(key)
  expect(await doctorSeen([NEW])).toContain(
    `signs vouchers with ${OLD_ADDRESS}, whose key is not here`,
  )
  expect(await doctorSeen([NEW, OLD])).toContain('the living instances accept the voucher key')
  const signing = await kept('SELECT DISTINCT signer FROM prepd_voucher_signers')
  expect(signing).toEqual([{ signer: OLD_ADDRESS }])
})

test('a key is rotated instance after instance, and no deposit is ever signed twice', async () => {
  const issued = [await issueAtAll()]
  for (let replaced = 0; replaced < 3; replaced += 1) {
    const next = await startInstance(withKeys(NEW, OLD))
    // The new one is asked first: what it signs must stand at those that know the old key alone.
    instances = [next, ...instances]
    issued.push(await issueAtAll())
    await instances.at(-1)?.stop()
    instances = instances.slice(0, -1)
  }
  await until(async () => {
    const [row] = await kept(
      'SELECT array_agg(DISTINCT signer) AS signers FROM prepd_voucher_signers',
    )
    return String(row?.['signers']) === NEW_ADDRESS
  })
  const last = await issueAtAll()
  const signers = [...issued, last].map((each) => signerOf(each))
  expect(signers).toEqual([...issued.map(() => OLD_ADDRESS ?? ''), NEW_ADDRESS ?? ''])
  for (const { deposit, text } of issued)
    for (const answer of await askAll(deposit)) expect(answer).toEqual({ status: 200, text })
  expect(await kept(`SELECT 1 FROM prepd_voucher_audit WHERE event = 'reissued'`)).toEqual([])
  expect((await refused([OLD])).code).toBe(1)
})

test('an instance that was killed stands in the way of another key until it is forgotten', async () => {
  await Promise.all(instances.slice(1).map(({ stop }) => stop()))
  await instances[0]?.kill()
  instances = []
  const third = '09'.repeat(32)
  expect((await refused([third])).code).toBe(1)
  await kept(`UPDATE prepd_voucher_signers SET seen_at = seen_at - interval '10 seconds'`)
  instances = [await startInstance(withKeys(third))]
  const { address } = voucherSigner(Uint8Array.fromHex(third))
  await until(async () => {
    const rows = await kept('SELECT signer FROM prepd_voucher_signers')
    return rows.length === 1 && rows[0]?.['signer'] === address
  })
})
