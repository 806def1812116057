import { signal } from '@preact/signals'
import { M } from '../../messages/page.ts'

const PANELS = ['book', 'tape'] as const

/** The panel, book or trades, that a layout with one place for both shows. */
export const beside = signal<(typeof PANELS)[number]>('book')

/** The title of the book or the trades; in a layout with one place for both, the choice between them. */
export function Beside({ name }: { readonly name: (typeof PANELS)[number] }) {
  return (
    <div class="beside">
      <h2>{M[name].title}</h2>
      <fieldset class="choices" aria-label={M.book.beside}>
        {PANELS.map((panel) => (
          <button
            key={panel}
            type="button"
            class="plain"
            aria-pressed={panel === name}
            onClick={() => {
              beside.value = panel
            }}
          >
            {M[panel].title}
          </button>
        ))}
      </fieldset>
    </div>
  )
}
