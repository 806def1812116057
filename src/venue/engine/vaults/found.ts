import { keccakOfText } from '../../../crypto/keccak.ts'
import { HOUR_MS } from '../../../spec/durations.ts'
import type { Steps } from '../../steps.ts'
import { deposit, exposureOf, openAccount } from '../accounts.ts'
import type { Agent } from '../agents/agent.ts'
import { DESK_RANK } from '../agents/maker.ts'
import { chanceOf, waitMs } from '../chance.ts'
import { plan } from '../events/queue.ts'
import type { Account } from '../state.ts'
import { ONE } from '../units.ts'
import type { Scene, World } from '../world.ts'
import { pastSteps, waitingOf } from './past.ts'
import { VAULT_TERMS, type VaultTerms } from './terms.ts'
import type { Vault } from './vault.ts'

const FIRST_FOLLOW_MS = 600_000

/** Lets the vaults into a world: each with what its past left it, and its desks in the markets that there are. */
export function* vaultSteps(world: World): Steps<void> {
  for (const terms of VAULT_TERMS) yield* found(world, terms)
}

function* found(world: World, terms: VaultTerms): Steps<void> {
  const { seed, nowMs, exchange, queue, vaults } = world
  const past = yield* pastSteps(seed, terms, nowMs)
  const account = open(world, terms, 'account')
  const escrow = open(world, terms, 'escrow')
  deposit(exchange, account, past.nav)
  deposit(exchange, escrow, waitingOf(past.ledger))
  const { ledger, investors, volume, fees } = past
  const number = vaults.length
  const id = keccakOfText(`${seed}/vault/${terms.name}`)
  const before = { volume, fees }
  vaults.push({ number, id, terms, joinedAtMs: nowMs, account, escrow, ledger, investors, before })
  plan(queue, (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS, 'vault', number)
  for (const [at, { nextAtMs }] of investors.entries())
    plan(queue, Math.max(nextAtMs, nowMs + 1), 'invest', number, at)
  for (const base of terms.bases) {
    const scene = world.scenes.find(({ listed }) => listed.base === base)
    if (scene) openDesk(world, vaults[number], scene)
  }
}

function open({ seed, exchange }: World, terms: VaultTerms, part: string): Account {
  const { name, takerBps, makerBps, leverage } = terms
  const fees = { taker: bps(takerBps), maker: bps(makerBps) }
  const key = keccakOfText(`${seed}/vault/${name}/${part}`)
  return openAccount(exchange, { key, fees, leverage, kind: 'vault' })
}

/** One market of a vault: an agent that trades with the vault's account. */
function openDesk(world: World, vault: Vault | undefined, scene: Scene): void {
  if (!vault) return
  const { terms, account } = vault
  const { market } = scene
  const isMaking = terms.strategy === 'making'
  const agent: Agent = {
    number: world.agents.length,
    role: isMaking ? 'maker' : 'follower',
    account,
    market: market.number,
    chance: chanceOf(world.seed, 'vault', terms.name, market.spec.symbol),
    stake: 0,
    purse: 0,
    rank: DESK_RANK,
    quotes: [],
    anchor: scene.index,
    isAwake: false,
  }
  world.agents.push(agent)
  world.agentOf.set(account.number, agent)
  exposureOf(account, market)
  if (isMaking) scene.makers.push(agent.number)
  const { queue, nowMs } = world
  if (isMaking) plan(queue, nowMs, 'requote', agent.number)
  else plan(queue, nowMs + waitMs(agent.chance, FIRST_FOLLOW_MS), 'act', agent.number)
}

function bps(points: number): number {
  return Math.round((points * ONE) / 10_000)
}
