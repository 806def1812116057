import { larger } from '../../../core/decimals.ts'
import type { Shortfall } from '../../../perp/pre-trade-check.ts'
import { filledTemplate, fixedText } from '../../common/format.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import type { FieldProblem } from './check.ts'
import { readInput } from './inputs.ts'
import { sizeText, symbolBase } from './text.ts'
import type { TicketAccount } from './ticket-account.ts'

/** The problem with a text that is not a clear number; null for a number and for an empty text. */
export function unreadable(text: string): FieldProblem | null {
  const reading = readInput(text)
  if (reading.kind === 'value' || reading.kind === 'empty') return null
  const { kind, candidates } = reading
  return {
    text: filledTemplate(TICKET_TEXTS.unreadable[kind], { text: text.trim() }),
    corrections: candidates,
  }
}

/** The limit that an order exceeds in a market, in a sentence. `most` is null while the fee of the order is unknown. */
export function excessText(
  market: string,
  excess: Shortfall,
  { free, rates }: TicketAccount,
  most: bigint | null,
): string {
  return filledTemplate(TICKET_TEXTS.excess[most === null && excess !== 'price' ? 'fee' : excess], {
    ...{ free: fixedText(larger(0n, free), 2), leverage: rates.leverage },
    ...{ largest: sizeText(market, most ?? 0n), base: symbolBase(market) },
  })
}
