import { roundedToStep } from '../../../../perp/amounts.ts'
import { displayDecimal } from '../../../common/format.ts'
import { conditionals, orders } from '../../account/state.ts'
import { orderOfKey } from '../../chart/own-marks.ts'
import { rules } from '../../market/state.ts'
import { editWaiting } from './conditional-dialog.tsx'
import { edit } from './edit-dialog.tsx'

/** Opens the dialog that edits an order, with the price to which its line was dragged. Nothing is sent yet. */
export function moveLine(key: string, price: number): void {
  const found = orderOfKey(key)
  if (!found) return
  const { id, name } = found
  const isIt = (order: { readonly id: string }) => order.id === id
  const order = orders.peek().find(isIt)
  const waiting = conditionals.peek().find(isIt)
  if (name === 'price' && order) edit(order, onTick(order.symbol, price))
  else if (name !== 'price' && waiting)
    editWaiting(waiting, { [name]: onTick(waiting.symbol, price) })
}

/** The price rounded to the market's nearest tick. */
function onTick(symbol: string, price: number): bigint {
  const tick = rules.peek().get(symbol)?.quoteTick ?? 1n
  return roundedToStep(displayDecimal(price.toFixed(8)), tick, 'half')
}
