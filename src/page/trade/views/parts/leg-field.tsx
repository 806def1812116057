import type { ComponentProps } from 'preact'
import { F } from '../../messages/ticket.ts'
import type { LegName } from '../../orders/conditional.ts'
import { Field } from './form.tsx'

type Props = ComponentProps<typeof Field> & {
  readonly leg: LegName
  readonly distance: { value: string }
  /** What the trigger would win or lose. */
  readonly outcome: string
}

/** The trigger of a take profit or a stop loss, as a price and as its distance from the entry. */
export function LegField({ leg, distance, outcome, ...props }: Props) {
  return (
    <div class="leg">
      <Field {...props} />
      <Field label={F.legDistances[leg]} input={distance} suffix="%" />
      <small class="quiet">{outcome}</small>
    </div>
  )
}
