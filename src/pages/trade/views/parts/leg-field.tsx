import type { ComponentProps } from 'preact'
import { useMemo } from 'preact/hooks'
import { LEG_DISTANCES } from '../../messages/ticket.ts'
import type { LegName } from '../../orders/conditional.ts'
import { type DistanceReference, distanceInput } from '../../orders/distance.ts'
import { NumberField } from './form.tsx'

type Props = ComponentProps<typeof NumberField> & {
  readonly leg: LegName
  readonly groundOf: (leg: LegName) => DistanceReference | null
  /** The text of the PnL at the trigger. */
  readonly outcome: string
}

/** Two inputs for the trigger of a take-profit or stop-loss: as a price, and as a distance from the entry. */
export function LegField({ leg, groundOf, outcome, isFirst, ...props }: Props) {
  // Created anew each time the form opens, because an earlier text belongs to another entry price.
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
