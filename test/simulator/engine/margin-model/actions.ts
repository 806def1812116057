import { compare } from './account-check.ts'
import type { Asked } from './asked.ts'
import { pick } from './asked.ts'
import type { World } from './figures.ts'
import { fund, jump, pass, settle, squeeze } from './market-events.ts'
import { cancel, edit, MODES, openIn, place } from './order-actions.ts'
import { count, type Scenario, type Side, worldOf } from './scenario.ts'
import { changeLeverage, changeMode, moveMargin } from './settings-actions.ts'

/** Opens a cross and an isolated position in one market of each account, as far as the account can carry them. */
export async function openAll(scenario: Scenario, at: string): Promise<void> {
  for (const side of scenario.sides) {
    const symbol = pick(scenario, scenario.wire.symbols)
    for (const mode of MODES) {
      const asked = openIn(scenario, side, worldOf(scenario), { symbol, mode })
      if (asked) await ask(scenario, side, { asked, at: `${at} ${asked.name}` })
    }
  }
}

/** Lets one random thing happen, and compares the accounts that it may have changed. */
export async function step(scenario: Scenario, at: string): Promise<void> {
  const { rng, sides } = scenario
  const kind = rng()
  const side = pick(scenario, sides)
  if (kind < 0.09) return jump(scenario, at)
  if (kind < 0.17) return squeeze(scenario, at)
  if (kind < 0.22) return pass(scenario, at)
  if (kind < 0.3) return fund(scenario, side, at)
  const world = worldOf(scenario)
  if (kind < 0.31) return settle(scenario, at)
  const make = chosen(kind)
  const owner = make === moveMargin ? (sides.find(hasIsolated) ?? side) : side
  const asked = make(scenario, owner, world)
  if (asked) await ask(scenario, owner, { asked, at: `${at} ${asked.name}` })
}

function hasIsolated({ account }: Side): boolean {
  return [...account.positions.values()].some(
    ({ mode, quantity }) => mode === 'ISOLATED' && quantity !== 0,
  )
}

type Chosen = (scenario: Scenario, side: Side, world: World) => Asked | null

function chosen(kind: number): Chosen {
  if (kind < 0.38) return changeLeverage
  if (kind < 0.44) return changeMode
  if (kind < 0.52) return moveMargin
  if (kind < 0.58) return cancel
  if (kind < 0.64) return edit
  return place
}

async function ask(
  scenario: Scenario,
  side: Side,
  { asked, at }: { readonly asked: Asked; readonly at: string },
): Promise<void> {
  const { method, path, body, expected, accept } = asked
  const trades = side.lastTrade
  const answer = await side.client.call(method, path, body)
  const got = answer.status === 200 ? 'accepted' : 'refused'
  count(scenario, `${asked.name} ${got}`)
  if (expected !== null && got !== expected) {
    const venue = `${got} ${answer.code ?? ''} ${JSON.stringify(body)}`
    scenario.differences.push({ at, figure: 'answer', venue, model: expected })
  }
  if (answer.status === 200) accept?.()
  side.slack += 0.000001
  await compare(scenario, side, at)
  if (side.lastTrade === trades) return
  for (const other of scenario.sides)
    if (other !== side) await compare(scenario, other, `${at} (other)`)
}
