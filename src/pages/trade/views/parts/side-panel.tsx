import { signal } from '@preact/signals'
import { PAGE_TEXTS } from '../../messages/page.ts'

const PANELS = ['book', 'tape'] as const

/** The panel that a layout with one place for book and trades shows. */
export const sidePanel = signal<(typeof PANELS)[number]>('book')

/** The title of the book or the trades. In a layout with one place for both panels, the user chooses the panel here. */
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
