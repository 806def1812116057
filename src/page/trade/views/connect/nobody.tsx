import { M } from '../../messages/page.ts'
import { openConnect } from './open.tsx'

/** Says that a page needs an account, and opens the way to one. */
export function Nobody({ text }: { readonly text: string }) {
  return (
    <section class="panel inset">
      <p>{text}</p>
      <p class="row">
        <button type="button" class="primary" onClick={openConnect}>
          {M.account.open}
        </button>
      </p>
    </section>
  )
}
