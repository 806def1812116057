import fc from 'fast-check'
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { voucherSigner } from '../../src/gateway/voucher/signers.ts'
import { VOUCHER_COMMANDS } from '../../src/operator/voucher/voucher.ts'
import type { Mined } from './chain.ts'
import { DEAD, startEndpoint, type TestEndpoint } from './endpoint.ts'
import { openVoucherFixture, type VoucherFixture, voucherArgument } from './fixture.ts'
import { FAULTS, LIES, type Meddler } from './lies.ts'
import { ABI, openStage, SIGNER, type Stage } from './stage.ts'

/** Five ways to the source, of which three must agree: two may lie. */
const ENDPOINTS = 5
const QUORUM = 3
const VALIDITY_SECONDS = 600
const STEPS_MAX = 40
/** Past the end of a voucher, and of what clocks may differ by. */
const LAPSE_SECONDS = VALIDITY_SECONDS + 400
const SIGNERS = [SIGNER, voucherSigner(new Uint8Array(32).fill(9))] as const
const NOTHING = `0x${'5'.repeat(64)}` as const
const REDEEMED = parseAbi(['function redeemed(bytes32) view returns (bool)'])

type Issued = Parameters<typeof voucherArgument>[0] & {
  readonly depositKey: string
  readonly domain: { readonly verifyingContract: Address }
  readonly signature: Hex
}

/** What the operator has set, and what has come of it. */
type Life = {
  fixture: VoucherFixture
  signer: 0 | 1
  /** Which of the two redeemers of each signer. */
  place: 0 | 1
  mul: bigint
  readonly deposits: Mined[]
  readonly issued: Issued[]
  /** The deposits that were paid, by transaction; a second payment is what must not be. */
  readonly paid: Set<string>
  readonly keys: Map<string, string>
  readonly close: () => void
}

type Command = fc.AsyncCommand<object, Life>

/** A stage with voucher services, and the commands that can run on it. */
export type VoucherModel = {
  readonly begin: () => Promise<{ model: object; real: Life }>
  readonly commands: (stepsMax: number) => fc.Arbitrary<Iterable<Command>>
  /** How many vouchers were redeemed in all lives. */
  readonly redemptions: () => number
  readonly stop: () => Promise<void>
}

type Ground = {
  readonly stage: Stage
  readonly endpoints: readonly TestEndpoint[]
  readonly redeemers: readonly (readonly Address[])[]
  readonly counted: { redemptions: number }
}

/** Opens two nodes, four redeemers and five endpoints. */
export async function openModel(): Promise<VoucherModel> {
  const stage = await openStage()
  const endpoints = Array.from({ length: ENDPOINTS }, () => startEndpoint(stage.source.url))
  const redeemers: Address[][] = []
  for (const { address } of SIGNERS) {
    const deploy = () => stage.destination.deploy('Redeemer', 'address', [address])
    redeemers.push([await deploy(), await deploy()])
  }
  const ground: Ground = { stage, endpoints, redeemers, counted: { redemptions: 0 } }
  return {
    begin: () => begin(ground),
    commands: (stepsMax) => commandsOn(ground, stepsMax),
    redemptions: () => ground.counted.redemptions,
    stop: async () => {
      await Promise.all(endpoints.map(({ stop }) => stop()))
      await stage.stop()
    },
  }
}

/** Leads so many random lives, and throws the shortest in which something was paid twice, or for nothing. */
export async function leadLives(model: VoucherModel, count: number): Promise<void> {
  const property = fc.asyncProperty(model.commands(STEPS_MAX), async (commands) => {
    const life = await model.begin()
    try {
      await fc.asyncModelRun(() => life, commands)
    } finally {
      life.real.close()
    }
  })
  await fc.assert(property, { numRuns: count })
}

async function begin(ground: Ground): Promise<{ model: object; real: Life }> {
  for (const endpoint of ground.endpoints) endpoint.meddle(null)
  const settings = { signer: 0, place: 0, mul: 1n } as const
  const life: Life = {
    ...settings,
    fixture: fixtureOf(ground, settings),
    deposits: [],
    issued: [],
    paid: new Set(),
    keys: new Map(),
    close: () => life.fixture.close(),
  }
  await deposit(ground, life)
  await deposit(ground, life)
  return { model: {}, real: life }
}

function fixtureOf(ground: Ground, life: Pick<Life, 'signer' | 'place' | 'mul'>, folder?: string) {
  const { stage, endpoints, redeemers } = ground
  const redeemer = redeemers[life.signer]?.[life.place]
  if (!redeemer) throw new Error('there is no such redeemer')
  return openVoucherFixture(stage, {
    rpcs: endpoints.map(({ url }) => url),
    quorum: QUORUM,
    validitySeconds: VALIDITY_SECONDS,
    redeemer,
    signer: SIGNERS[life.signer],
    mul: life.mul,
    ...(folder !== undefined && { folder }),
  })
}

async function deposit({ stage }: Ground, life: Life): Promise<void> {
  life.deposits.push(await stage.deposit())
  await stage.finalise()
}

/** Closes the service and opens it again on the same store with the current settings. */
function reopen(ground: Ground, life: Life): void {
  const { folder, store } = life.fixture
  store.close()
  life.fixture = fixtureOf(ground, life, folder)
}

async function ask(life: Life, at: number): Promise<void> {
  const tx = life.deposits[at % life.deposits.length]
  if (!tx) throw new Error('there is no deposit')
  const { status, body } = await life.fixture.ask(tx)
  if (status !== 200) return
  life.issued.push(body)
  const before = life.keys.get(tx.transactionHash)
  if (before !== undefined && before !== body.depositKey) throw new Error('one deposit, two keys')
  life.keys.set(tx.transactionHash, body.depositKey)
}

/** Redeems a voucher where its domain says. Throws when its deposit has been paid before. */
async function redeemAt({ stage, counted }: Ground, life: Life, body: Issued): Promise<void> {
  const args = [voucherArgument(body), body.signature] as const
  const data = encodeFunctionData({ abi: ABI, functionName: 'redeem', args })
  const { status } = await stage.destination.send({ to: body.domain.verifyingContract, data })
  await stage.advance(4)
  if (status !== '0x1') return
  counted.redemptions += 1
  const { depositKey } = body
  if (life.paid.has(depositKey)) throw new Error(`${depositKey} was paid twice`)
  life.paid.add(depositKey)
}

/** The operator looks at the redeemer, as the command says, and releases what it has not paid. */
async function release({ stage }: Ground, life: Life, at: number): Promise<void> {
  const rows = await life.fixture.store.list(500)
  const row = rows[at % Math.max(1, rows.length)]
  if (!row) return
  const args = [`0x${row.depositKey.slice(2)}`] as const
  const data = encodeFunctionData({ abi: REDEEMED, functionName: 'redeemed', args })
  const answer = await stage.destination.rpc<Hex>('eth_call', { to: row.redeemer, data })
  if (BigInt(answer) !== 0n) return
  const store = life.fixture.store
  const { clock } = stage
  const deps = { report: () => undefined, store, clock, validitySeconds: () => VALIDITY_SECONDS }
  await VOUCHER_COMMANDS.release(deps, new Map([['--deposit', row.depositKey]]))
}

/** Makes endpoints lie alike, or makes one useless; all others are honest again. */
function meddle({ endpoints }: Ground, liars: readonly number[], meddler: Meddler): void {
  for (const [at, endpoint] of endpoints.entries())
    endpoint.meddle(liars.includes(at) ? meddler : null)
}

function step(name: string, run: (life: Life) => Promise<void>): Command {
  return { check: () => true, run: (_, life) => run(life), toString: () => name }
}

/** A minority that lies, one endpoint of no use, or nothing but honesty. */
function meddlings(ground: Ground): fc.Arbitrary<Command>[] {
  const liars = fc.uniqueArray(fc.nat(ENDPOINTS - 1), { minLength: 1, maxLength: QUORUM - 1 })
  const one = fc.nat(ENDPOINTS - 1).map((at) => [at])
  const turn = (who: readonly number[], meddler: Meddler) =>
    step(`${who} say ${meddler}`, async () => meddle(ground, who, meddler))
  return [
    fc.tuple(liars, fc.constantFrom(...LIES)).map(([who, lie]) => turn(who, lie)),
    fc.tuple(one, fc.constantFrom(...FAULTS)).map(([who, fault]) => turn(who, fault)),
    fc.constant(turn([], () => DEAD)),
  ]
}

function commandsOn(ground: Ground, stepsMax: number) {
  const { stage } = ground
  const index = fc.nat(99)
  const bit = fc.constantFrom<(0 | 1)[]>(0, 1)
  const set = (change: Partial<Pick<Life, 'signer' | 'place' | 'mul'>>) =>
    step(`set ${Object.entries(change)}`, async (life) => {
      Object.assign(life, change)
      reopen(ground, life)
    })
  const asking = index.map((at) => step(`ask ${at}`, (life) => ask(life, at)))
  const redeeming = index.map((at) =>
    step(`redeem ${at}`, async (life) => {
      const body = life.issued[at % Math.max(1, life.issued.length)]
      if (body) await redeemAt(ground, life, body)
    }),
  )
  const everything = fc.constant(
    step('redeem all', async (life) => {
      for (const body of life.issued) await redeemAt(ground, life, body)
    }),
  )
  return fc.commands(
    [
      ...[asking, asking, asking, redeeming, redeeming, everything],
      fc.constant(step('deposit', (life) => deposit(ground, life))),
      fc.constant(step('lapse', () => stage.advance(LAPSE_SECONDS))),
      fc.constant(step('pass', () => stage.advance(VALIDITY_SECONDS / 2))),
      fc.constant(set({})),
      bit.map((signer) => set({ signer })),
      bit.map((place) => set({ place })),
      bit.map((more) => set({ mul: BigInt(more + 1) })),
      index.map((at) => step(`release ${at}`, (life) => release(ground, life, at))),
      ...meddlings(ground),
      fc.constant(
        step('ask for nothing', async (life) => {
          const { status } = await life.fixture.ask(NOTHING)
          if (status === 200) throw new Error('nothing was paid for')
        }),
      ),
    ],
    { maxCommands: stepsMax, size: 'max' },
  )
}
