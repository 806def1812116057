import { dismiss, notes } from '../notes.ts'
import { W } from '../words/words.ts'

/** What the page has to say about what was done, the newest last. */
export function NoteStack() {
  return (
    <div class="notes" role="log" aria-live="polite">
      {notes.value.map(({ id, kind, text, next, action }) => (
        <div class={`note ${kind}`} key={id}>
          <div>
            <p>{text}</p>
            {next !== '' && <p class="quiet">{next}</p>}
            {action && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  dismiss(id)
                  action.run()
                }}
              >
                {action.label}
              </button>
            )}
          </div>
          <button type="button" class="plain" aria-label={W.dismiss} onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
