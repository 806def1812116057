/** What of an order a line on the chart stands for. */
export type MovableName = 'price' | 'trigger' | 'TAKE_PROFIT' | 'STOP_LOSS'

const NAMES = ['price', 'trigger', 'TAKE_PROFIT', 'STOP_LOSS'] as const

/** The key of the line of an order’s price or trigger. */
export function keyOf(id: string, name: MovableName): string {
  return `${id} ${name}`
}

/** The order and the price that a line stands for; null for a line that is no order’s. */
export function orderOfKey(
  key: string,
): { readonly id: string; readonly name: MovableName } | null {
  const [id = '', wanted] = key.split(' ')
  const name = NAMES.find((each) => each === wanted)
  return name ? { id, name } : null
}
