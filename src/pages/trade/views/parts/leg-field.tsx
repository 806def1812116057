import type { ComponentProps } from 'preact'
import { useMemo } from 'preact/hooks'
import { LEG_DISTANCES } from '../../messages/ticket.ts'
import type { LegName } from '../../orders/conditional.ts'
import { distanceInput, type Ground } from '../../orders/distance.ts'
import { NumberField } from './form.tsx'

type Props = ComponentProps<typeof NumberField> & {
  readonly leg: LegName
  readonly groundOf: (leg: LegName) => Ground | null
  /** The profit or loss at the trigger. */
  readonly outcome: string
}

/** The trigger of a take profit or a stop loss, as a price and as its distance from the entry, where a dialog may begin. */
export function LegField({ leg, groundOf, outcome, isFirst, ...props }: Props) {
  // Created again each time it is opened: the text of before belongs to a different entry.
  const distance = useMemo(() => distanceInput(leg, props.input, () => groundOf(leg)), [])
  const label = LEG_DISTANCES[groundOf(leg)?.isAbove ? 'above' : 'below'][leg]
  return (
    <div class="leg">
      <NumberField {...props} />
      <NumberField label={label} input={distance} suffix="%" isFirst={isFirst} />
      <small class="quiet">{outcome}</small>
    </div>
  )
}
