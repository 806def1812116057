/** A set of prices in ticks that finds its nearest member above or below any price in constant time. */
export type PriceSet = {
  /** One bit per price; each further layer has one bit per word of the layer below. */
  layers: Uint32Array[]
}

const WORD_BITS = 32
const FULL = 0xffffffff
const NONE = new Uint32Array(0)
/** Prices below 32^5: more than any market's highest. */
const LAYERS_MAX = 5

export function createPriceSet(): PriceSet {
  return { layers: layersFor(WORD_BITS ** 2) }
}

/** Throws RangeError for a price that is no tick of any market. */
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

/** The lowest price of the set at or above a price; -1 without one. */
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

/** The highest price of the set at or below a price; -1 without one. */
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

/** Members are added again to wider layers: it happens a handful of times in the life of a book. */
function grow(set: PriceSet, price: number): void {
  if (!(price < WORD_BITS ** LAYERS_MAX)) throw new RangeError('no such price')
  let capacity = priceCapacity(set)
  while (price >= capacity) capacity *= 2
  const members: number[] = []
  for (let at = priceAbove(set, 0); at !== -1; at = priceAbove(set, at + 1)) members.push(at)
  set.layers = layersFor(capacity)
  for (const member of members) addPrice(set, member)
}
