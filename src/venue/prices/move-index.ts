import type { Scene, World } from '../state/world.ts'
import { stepIndex } from './seeded.ts'

/** Moves a market's index to a time, with its trend, unless it is frozen. */
export function moveIndex(world: World, scene: Scene, atMs: number): void {
  const { overrides, steppedAtMs } = scene
  if (atMs < overrides.frozenUntilMs) {
    scene.followed = world.factor.level
    scene.steppedAtMs = atMs
    return
  }
  const growth = Math.exp(overrides.trend * (atMs - steppedAtMs))
  overrides.scale *= growth
  if (world.prices.kind === 'seeded') {
    stepIndex(scene, world.factor, atMs)
    scene.index *= growth
  } else replayIndex(world, scene, atMs)
}

function replayIndex({ prices }: World, scene: Scene, atMs: number): void {
  if (prices.kind !== 'replayed') return
  const price = prices.priceAt(scene.market.spec.symbol, atMs)
  scene.index = price === null ? scene.index : price * scene.overrides.scale
  scene.steppedAtMs = atMs
}
