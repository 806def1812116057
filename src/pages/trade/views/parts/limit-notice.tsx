import { filledTemplate } from '../../../common/format.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import type { TicketLimits } from '../../orders/ticket-limits.ts'
import { FieldProblemText } from './form.tsx'

type Props = {
  /** Null while the limits are unknown. */
  readonly found: TicketLimits | null
  /** Called with the offered size; absent in a form without a size. */
  readonly onCorrect?: (size: bigint) => void
}

/** The notice of account limits that would refuse an order, or require an approval. */
export function LimitNotice({ found, onCorrect }: Props) {
  const { excess = [], approvals = [], largest = 0n } = found ?? {}
  const [broken] = excess
  if (!broken)
    return (
      approvals.length > 0 && (
        <p class="warn" data-code="approval_required">
          {TICKET_TEXTS.needsApproval}
        </p>
      )
    )
  const { reason, ...values } = broken
  const isValueless = reason === 'leverage' && values.requested === undefined
  return (
    <div data-code={reason === 'restored' ? 'not_available' : 'mandate_exceeded'}>
      <FieldProblemText
        text={filledTemplate(
          TICKET_TEXTS.limits[isValueless ? 'reduce_only' : reason],
          shownLimits(values),
        )}
        corrections={onCorrect && largest > 0n ? [largest] : []}
        isMissing={false}
        onCorrect={(value) => onCorrect?.(value)}
      />
    </div>
  )
}

/** The numbers of a limit as texts with at most two places. */
function shownLimits(values: Readonly<Record<string, unknown>>) {
  const text = (value: unknown) =>
    typeof value === 'number' ? value.toLocaleString('en', TWO_PLACES) : ''
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]))
}

const TWO_PLACES = { maximumFractionDigits: 2 } as const
