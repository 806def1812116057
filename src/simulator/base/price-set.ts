/** A set of prices in ticks. Finding its nearest member above or below a price takes constant time. */
export type PriceSet = {
  /** The first layer has one bit per price. Each further layer has one bit per word of the layer below. */
  layers: Uint32Array[]
}

const WORD_BITS = 32
const FULL = 0xffffffff
const NONE = new Uint32Array(0)
/** Prices stay below 32^5 ticks, which is more than the highest price of any market. */
const LAYERS_MAX = 5

export function createPriceSet(): PriceSet {
  return { layers: layersFor(WORD_BITS ** 2) }
}

/** Adds a price. Throws RangeError for a price that no market can have. */
export function addPrice(set: PriceSet, price: number): void {
  if (!(price < priceCapacity(set))) grow(set, price)
  let at = price
  for (const layer of set.layers) {
    const word = at >>> 5
    const before = layer[word] ?? 0
    layer[word] = before | (1 << (at & 31))
    if (before !== 0) return
    at = word
  }
}

export function removePrice(set: PriceSet, price: number): void {
  let at = price
  for (const layer of set.layers) {
    const word = at >>> 5
    const after = (layer[word] ?? 0) & ~(1 << (at & 31))
    layer[word] = after
    if (after !== 0) return
    at = word
  }
}

/** The lowest member at or above a price; -1 if every member is lower. */
export function priceAbove({ layers }: PriceSet, price: number): number {
  let at = Math.max(0, price)
  for (let depth = 0; depth < layers.length; depth += 1) {
    const layer = layers[depth] ?? NONE
    const word = at >>> 5
    if (word >= layer.length) return -1
    const bits = (layer[word] ?? 0) & (FULL << (at & 31))
    if (bits !== 0) return descend(layers, depth, word * WORD_BITS + lowestBit(bits), lowestBit)
    at = word + 1
  }
  return -1
}

/** The highest member at or below a price; -1 if every member is higher. */
export function priceBelow(set: PriceSet, price: number): number {
  const { layers } = set
  let at = Math.min(price, priceCapacity(set) - 1)
  for (let depth = 0; depth < layers.length; depth += 1) {
    if (at < 0) return -1
    const layer = layers[depth] ?? NONE
    const word = at >>> 5
    const bits = (layer[word] ?? 0) & (FULL >>> (31 - (at & 31)))
    if (bits !== 0) return descend(layers, depth, word * WORD_BITS + highestBit(bits), highestBit)
    at = word - 1
  }
  return -1
}

function descend(
  layers: readonly Uint32Array[],
  depth: number,
  position: number,
  pick: (bits: number) => number,
): number {
  let at = position
  for (let below = depth - 1; below >= 0; below -= 1)
    at = at * WORD_BITS + pick(layers[below]?.[at] ?? 0)
  return at
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}

function highestBit(bits: number): number {
  return 31 - Math.clz32(bits)
}

function priceCapacity({ layers }: PriceSet): number {
  return (layers[0]?.length ?? 0) * WORD_BITS
}

function layersFor(capacity: number): Uint32Array[] {
  const layers: Uint32Array[] = []
  for (let words = capacity / WORD_BITS; ; words = Math.ceil(words / WORD_BITS)) {
    layers.push(new Uint32Array(words))
    if (words === 1) return layers
  }
}

/** Moves the members to wider layers, which happens only a few times in the life of a book. */
function grow(set: PriceSet, price: number): void {
  if (!(price < WORD_BITS ** LAYERS_MAX)) throw new RangeError('no such price')
  let capacity = priceCapacity(set)
  while (price >= capacity) capacity *= 2
  const members: number[] = []
  for (let at = priceAbove(set, 0); at !== -1; at = priceAbove(set, at + 1)) members.push(at)
  set.layers = layersFor(capacity)
  for (const member of members) addPrice(set, member)
}
