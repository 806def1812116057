import type { ConsoleFigures } from '../../spec/console/figures.ts'
import { fill } from '../common/format.ts'
import { M } from './messages.ts'

/** More reasons than these are counted. */
const SHOWN_MAX = 3

/** Whether all is well, or the worst reasons why not, each with a link to more of it. */
export function Verdict({ found: { verdict } }: { readonly found: ConsoleFigures }) {
  const rest = verdict.length - SHOWN_MAX
  if (verdict.length === 0) {
    return (
      <p class="verdict well" role="status">
        {M.verdict.well}
      </p>
    )
  }
  return (
    <div class={`verdict ${verdict[0]?.level === 'page' ? 'ill' : 'warned'}`} role="status">
      <ul>
        {verdict.slice(0, SHOWN_MAX).map(({ title, action, at }) => (
          <li key={title}>
            <a href={`#${at}`}>{title}</a> <span>{action}</span>
          </li>
        ))}
      </ul>
      {rest > 0 && <span>{fill(M.verdict.rest, { count: rest })}</span>}
    </div>
  )
}
