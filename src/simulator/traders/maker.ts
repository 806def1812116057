import { normal } from '../base/rng.ts'
import { editOrder } from '../orders/edit.ts'
import { BUY, type EngineOrder, leftQuantity, SELL, type SideSign } from '../state/state.ts'
import type { Agent, EngineWorld, Scene } from '../state/world.ts'
import {
  affordableSteps,
  agentPosition,
  bestLevelUsdc,
  cancelIfOpen,
  trade,
  wholeSteps,
} from './trade.ts'

/** How a maker quotes: close with small sizes, or far with large sizes. Distances are shares of the price. */
type Style = {
  readonly levels: number
  /**
   * Distance of the maker's first quote. Unused for the nearest maker, which follows the market's usual best prices.
   */
  readonly near: number
  /** Distance of the maker's last quote. */
  readonly far: number
  /** How far the index must move before the maker replaces its quotes. */
  readonly requoteDistance: number
  /** Sizes of the maker's first and last level, in multiples of the usual best level. */
  readonly sizes: readonly [number, number]
  /** The inventory, in best levels, at which the maker adds no more. */
  readonly inventoryMax: number
  /** How far the maker moves its quotes at `inventoryMax`, as a share of the price. */
  readonly lean: number
}

export const STYLES: readonly Style[] = [
  { levels: 2, near: 0, far: 0, requoteDistance: 0, sizes: [1, 1.3], inventoryMax: 8, lean: 0 },
  {
    levels: 5,
    near: 0.0014,
    far: 0.0045,
    requoteDistance: 0.0009,
    sizes: [1.5, 2.5],
    inventoryMax: 20,
    lean: 0.003,
  },
  {
    levels: 8,
    near: 0.006,
    far: 0.02,
    requoteDistance: 0.004,
    sizes: [3, 6],
    inventoryMax: 50,
    lean: 0.01,
  },
]

/** A quote with less than this share of its size is refilled. */
const REFILL_BELOW = 0.4
/** Distances of the nearest maker's quotes, as shares of the market's usual distance of a best price. */
const NEAR_LEVELS = [0.6, 2] as const
/** How far the nearest maker moves its quotes at `inventoryMax`, as a share of the usual distance of a best price. */
const NEAR_LEAN = 3

/** Whether the index has moved further from a maker's quotes than the maker tolerates. */
export function isOff(scene: Scene, maker: Agent): boolean {
  const distance = Math.abs(scene.index - maker.anchor)
  return distance > makerRequoteDistance(scene, maker) * scene.index
}

/**
 * Moves a maker's quotes to match the index and its inventory. The side that the price moves towards goes first.
 * Missing quotes return one at a time, the nearest first. Returns whether more are missing.
 */
export function requoteByInventory(
  world: EngineWorld,
  maker: Agent,
  scene: Scene,
  atMs: number,
): boolean {
  const sides = scene.index >= maker.anchor ? ([SELL, BUY] as const) : ([BUY, SELL] as const)
  maker.anchor = scene.index
  const inventory = inventoryShare(scene, maker)
  const leant = scene.index * (1 + scene.overrides.lean)
  const center = leant * (1 - makerLean(scene, maker) * Math.max(-2, Math.min(2, inventory)))
  let missing = 0
  for (const side of sides) {
    const isFull = scene.market.status === 'ACTIVE' ? side * inventory >= 1 : side * inventory >= 0
    if (isFull || side === scene.overrides.bare) clear(world, maker, side, atMs)
    else missing += quoteSide(world, maker, scene, { side, center }, atMs)
  }
  return missing > 0
}

/** The maker's position as a share of its maximum; 0 while the operator's `lean` override moves its quotes. */
function inventoryShare(scene: Scene, maker: Agent): number {
  if (scene.overrides.lean !== 0) return 0
  const { inventoryMax } = makerStyle(maker)
  const full = Math.max(1, wholeSteps(scene, inventoryMax * bestLevelUsdc(scene)))
  return agentPosition(maker, scene.market) / full
}

/** Quotes one side. Returns how many quotes are still missing on it. */
function quoteSide(
  world: EngineWorld,
  maker: Agent,
  scene: Scene,
  { side, center }: { readonly side: SideSign; readonly center: number },
  atMs: number,
): number {
  const addedMax = atMs === world.beginsAtMs ? Number.POSITIVE_INFINITY : 1
  let absent = 0
  for (let level = 0; level < makerStyle(maker).levels; level += 1) {
    const isThere = maker.quotes[slotIndex(maker, { side, level })]?.level
    if (!isThere) absent += 1
    if (isThere || absent <= addedMax) quote(world, maker, scene, { side, level, center }, atMs)
  }
  return Math.max(0, absent - addedMax)
}

type Slot = { readonly side: SideSign; readonly level: number }

function quote(
  world: EngineWorld,
  maker: Agent,
  scene: Scene,
  slot: Slot & { readonly center: number },
  atMs: number,
): void {
  const { side, level, center } = slot
  const at = slotIndex(maker, slot)
  const order = maker.quotes[at]
  const distance = levelDistance(scene, maker, level)
  const exact = center * (1 - side * distance)
  const price = Math.max(1, side === BUY ? Math.floor(exact) : Math.ceil(exact))
  if (order?.level) {
    renew(world, order, price, tolerance(scene, maker), atMs)
    return
  }
  const size = drawQuoteSize(maker, level) * scene.overrides.depth
  const quantity = affordableSteps(scene, bestLevelUsdc(scene) * size)
  const { market } = scene
  const reduceOnly = market.status === 'REDUCE_ONLY'
  const terms = {
    market,
    side,
    quantity,
    price,
    reduceOnly,
    type: 'POST_ONLY',
    adjusts: true,
  } as const
  maker.quotes[at] = trade(world, maker, terms, atMs)
}

/** Cancels the quotes of a side on which the maker's inventory is full. */
function clear(world: EngineWorld, maker: Agent, side: SideSign, atMs: number): void {
  for (let level = 0; level < makerStyle(maker).levels; level += 1) {
    const at = slotIndex(maker, { side, level })
    const order = maker.quotes[at]
    if (order) cancelIfOpen(world, order, atMs)
    maker.quotes[at] = null
  }
}

function slotIndex(maker: Agent, { side, level }: Slot): number {
  return side === BUY ? level : makerStyle(maker).levels + level
}

/** Moves a quote that is too far from its price. Refills a quote that has too little of its size left. */
function renew(
  world: EngineWorld,
  order: EngineOrder,
  price: number,
  tolerated: number,
  atMs: number,
): void {
  const size = order.visible
  const isLow = leftQuantity(order) < size * REFILL_BELOW
  const quantity = isLow ? order.executed + size : order.quantity
  if (Math.abs(price - order.price) <= tolerated && !isLow) return
  world.counts.operations += 1
  editOrder(world.exchange, order, { price, quantity }, atMs)
}

function makerStyle({ rank }: Agent): Style {
  const style = STYLES[rank]
  if (!style) throw new RangeError('no such maker')
  return style
}

/** The distance from its price, in ticks, beyond which a quote is moved. */
function tolerance(scene: Scene, maker: Agent): number {
  return (makerRequoteDistance(scene, maker) * scene.index) / 2
}

function makerRequoteDistance(scene: Scene, maker: Agent): number {
  const { requoteDistance } = makerStyle(maker)
  return requoteDistance === 0 ? scene.listed.tier.bboDistanceMax * 0.5 : requoteDistance
}

function makerLean(scene: Scene, maker: Agent): number {
  const { lean } = makerStyle(maker)
  return lean === 0 ? scene.listed.tier.bboDistanceMax * NEAR_LEAN : lean
}

function levelDistance(scene: Scene, maker: Agent, level: number): number {
  const { near, far, levels } = makerStyle(maker)
  if (near === 0) return scene.listed.tier.bboDistanceMax * (NEAR_LEVELS[level] ?? 1)
  return near + (far - near) * (level / (levels - 1)) ** 1.5
}

/** A random size. Sizes grow with the level's distance. */
function drawQuoteSize(maker: Agent, level: number): number {
  const { sizes, levels } = makerStyle(maker)
  const [first, last] = sizes
  const usual = first + (last - first) * (level / (levels - 1))
  return usual * Math.max(0.4, 1 + 0.25 * normal(maker.rng))
}
