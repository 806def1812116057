import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { tellFailure } from '../notes.ts'
import { W } from '../words/words.ts'

const ticket = signal<{ readonly Inside: ComponentType } | null>(null)

/** The place of the order form, which comes once what is looked at first has been painted. */
export function TicketDoor() {
  useEffect(() => {
    import('./ticket.tsx').then(({ Ticket }) => {
      ticket.value = { Inside: Ticket }
    }, tellFailure)
  }, [])
  const { value } = ticket
  return (
    <section class="panel ticket" id="ticket" aria-label={W.ticketTitle}>
      {value && <value.Inside />}
    </section>
  )
}
