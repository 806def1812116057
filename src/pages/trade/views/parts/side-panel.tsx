import { signal } from '@preact/signals'
import { PAGE_TEXTS } from '../../messages/page.ts'

const PANELS = ['book', 'tape'] as const

/** The panel, book or trades, that a layout with one place for both shows. */
export const sidePanel = signal<(typeof PANELS)[number]>('book')

/** The title of the book or the trades; in a layout with one place for both, the choice between them. */
export function SidePanel({ name }: { readonly name: (typeof PANELS)[number] }) {
  return (
    <div class="beside">
      <h2>{PAGE_TEXTS[name].title}</h2>
      <fieldset class="choices" aria-label={PAGE_TEXTS.book.beside}>
        {PANELS.map((panel) => (
          <button
            key={panel}
            type="button"
            class="plain"
            aria-pressed={panel === name}
            onClick={() => {
              sidePanel.value = panel
            }}
          >
            {PAGE_TEXTS[panel].title}
          </button>
        ))}
      </fieldset>
    </div>
  )
}
