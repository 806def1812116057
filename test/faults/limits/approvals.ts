import pg from 'pg'
import { LIMITS } from '../../../src/contract/limits.ts'
import { mainAccountId } from '../../../src/core/crypto/account-id.ts'
import { envelope, newCaller, type TestCaller } from '../../caller.ts'
import { type InstanceProcess, kept, startInstance } from '../../cluster/instances.ts'
import { sharedPostgres } from '../../cluster/postgres.ts'
import { until } from '../../cluster/processes.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { startRecordingUpstream } from '../../recording-upstream.ts'
import { askToApprove, DECISION } from '../../surface/approval-requests.ts'
import { type Fetcher, post, signedBody, type TestWallet, WALLETS } from '../../surface/wallets.ts'
import wire from '../../vectors/tools-wire.json'
import { giveMandates } from './accounts.ts'
import { BTC, PRICE } from './venue.ts'

const BROKER_ID = 'demo'
const COPIES = 3
const LIFE_MAX_MS = 40

/** What became of approved orders whose instances were killed. */
export type ApprovalFigures = {
  readonly approved: number
  /** Orders that the venue has met. */
  readonly met: number
  /** Kills after the approval was used up and before its order was sent. */
  readonly killedBetween: number
  /** Orders that were met twice, or went after such a kill, and answers that should not be. */
  readonly passed: readonly string[]
}

/** An account with a wallet, whose every order has to be approved. */
type Owner = { readonly wallet: TestWallet; readonly caller: TestCaller; readonly body: string }

type World = {
  readonly instances: readonly InstanceProcess[]
  readonly met: (body: string) => number
  readonly random: () => number
  readonly url: string
}

/**
 * Approves so many orders, and kills one of two instances while both are sent the approved order: at any time, or between
 * the use of the approval and the sending. What is left is sent to the other one.
 */
export async function raceApprovals(
  rounds: number,
  random: () => number,
): Promise<ApprovalFigures> {
  const [venue, postgres, valkey] = await Promise.all([
    startRecordingUpstream(({ method, target }) => {
      const key = `${method} ${target.split('?')[0]}`
      const json = Object.entries(wire).find(([route]) => route === key)?.[1]
      return json === undefined ? { status: 404, json: {} } : { json }
    }),
    sharedPostgres(),
    startValkey(),
  ])
  const url = await postgres.newDatabase()
  const shared = { postgres: url, valkey: valkey.url, venue: venue.url }
  const orders = () => venue.requests.filter(({ method }) => method === 'POST')
  const met = (body: string) => orders().filter(({ text }) => text === body).length
  let instances = await Promise.all([startInstance(shared), startInstance(shared)])
  const passed: string[] = []
  let [shown, killedBetween] = [0, 0]
  for (let at = 0; shown < rounds; at += 1) {
    const owner = newOwner(at)
    await giveMandates(url, [owner.caller], { approveAboveUsdc: 0n })
    const world = { instances, met, random, url }
    const isBetween = shown % 2 === 0
    const problems = await (isBetween ? killBetween : killAnywhere)(world, owner)
    if (problems) {
      passed.push(...problems.map((what) => `order ${at} ${what}`))
      shown += 1
      if (isBetween) killedBetween += 1
    }
    const [, other] = instances
    // The first was killed.
    if (other) instances = [other, await startInstance(shared)]
  }
  await Promise.all(instances.map((instance) => instance.kill()))
  await Promise.all([venue.stop(), valkey.stop()])
  return { approved: rounds, met: orders().length, killedBetween, passed }
}

function newOwner(at: number): Owner {
  const wallet = WALLETS.viem()
  const order = { symbol: BTC, side: 'BUY', order_type: 'LIMIT', order_price: PRICE }
  return {
    wallet,
    caller: newCaller(mainAccountId(wallet.address, BROKER_ID)),
    body: JSON.stringify({ ...order, order_quantity: 0.01, client_order_id: `approved-${at}` }),
  }
}

let latestMs = 0

/** The approved order with a new signature each time. */
function signed({ caller, body }: Owner) {
  latestMs = Math.max(latestMs + 1, Date.now())
  const call = { method: 'POST', path: '/v1/order', body, timestamp: String(latestMs) } as const
  return envelope(caller, call)
}

/** What an order is answered: a code, `sent`, or `gone` where the instance was killed. */
async function answerOf(instance: InstanceProcess, order: ReturnType<typeof envelope>) {
  const answer = await kept(instance, order).catch(() => null)
  return answer ? { code: answer.body.code ?? 'sent', meta: Object(answer.body['meta']) } : GONE
}

const GONE = { code: 'gone', meta: Object({}) }

/** Has the owner approve the order; answers the approval's id. */
async function approved(owner: Owner, instance: InstanceProcess): Promise<string> {
  const { code, meta } = await answerOf(instance, signed(owner))
  if (code !== 'approval_required') throw new Error(`an approval is asked for by ${code}`)
  const service: Fetcher = { fetch: (path, init) => fetch(instance.url + path, init) }
  for (;;) {
    const toSign = await askToApprove(service, meta.approval)
    const { status, body } = await post(service, DECISION, await signedBody(owner.wallet, toSign))
    if (status === 200) return String(meta.approval)
    // A busy machine took too long to keep it, or its nonce, or to keep that it was used.
    if (status !== 503) throw new Error(`the decision: ${JSON.stringify(body)}`)
  }
}

/**
 * Holds the row of the approval, so that its instance waits after the use and before the sending, and is killed there.
 * Null where the kill came so late that it may have given the waiting up.
 */
async function killBetween({ instances, met, url }: World, owner: Owner): Promise<string[] | null> {
  const [doomed, other] = instances
  if (!doomed || !other) return ['has no instances']
  const id = await approved(owner, other)
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT 1 FROM prepd_approvals WHERE id = $1 FOR UPDATE', [id])
  const first = signed(owner)
  const startedMs = performance.now()
  const gone = answerOf(doomed, first)
  await until(async () => {
    const { rows } = await holder.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'transactionid'`,
    )
    return rows.length > 0
  })
  await doomed.kill()
  const isLate = performance.now() - startedMs >= LIMITS.postgresWaitMaxMs
  await holder.query('ROLLBACK')
  await holder.end()
  if (isLate) return null
  const codes = [
    (await gone).code,
    (await answerOf(other, first)).code,
    (await answerOf(other, signed(owner))).code,
  ]
  const expected = ['gone', 'outcome_unknown', 'approval_required']
  return [
    ...(met(owner.body) > 0 ? ['went after its instance was killed before it'] : []),
    ...(codes.join() === expected.join() ? [] : [`was answered ${codes}`]),
  ]
}

/** Sends copies to both instances at once, and kills one of them at any time. */
async function killAnywhere({ instances, met, random }: World, owner: Owner): Promise<string[]> {
  const [doomed, other] = instances
  if (!doomed || !other) return ['has no instances']
  await approved(owner, other)
  const copies = [doomed, other].flatMap((instance) =>
    Array.from({ length: COPIES }, () => answerOf(instance, signed(owner))),
  )
  await Bun.sleep(random() * LIFE_MAX_MS)
  await doomed.kill()
  const codes = (await Promise.all(copies)).map(({ code }) => code)
  const last = (await answerOf(other, signed(owner))).code
  const times = met(owner.body)
  const sent = [...codes, last].filter((code) => code === 'sent').length
  return [
    ...(times > 1 ? [`was met ${times} times`] : []),
    ...(sent > times ? [`was answered ${sent} times and met ${times} times`] : []),
    ...(times === 1 && last === 'sent' && codes.includes('sent') ? ['went twice'] : []),
  ]
}
