import { signal } from '@preact/signals'
import type { ConsoleFigures, ErrorRow, RequestLine } from '../../contract/console/figures.ts'
import { clockTime, filledTemplate } from '../common/format.ts'
import { HeadedTable } from '../common/table.tsx'
import { countText } from './figures-text.ts'
import { CONSOLE_TEXTS } from './messages.ts'
import { ConsolePanel, Scrolling } from './parts.tsx'

/** The failure code whose requests are shown; '' for all codes. */
const code = signal('')
const rows = signal<readonly ErrorRow[]>([])

/** The request whose log lines are shown; '' if all are closed. */
const request = signal('')
const lines = signal<readonly RequestLine[] | null>(null)

/** Failures by code, the requests of a code, and the log lines of a request. */
export function FailuresPanel({ found: { errors, codes } }: { readonly found: ConsoleFigures }) {
  const H = CONSOLE_TEXTS.errors
  const shown = code.value === '' ? errors : rows.value
  return (
    <ConsolePanel title={H.title} id="failures" why={errors.length > 0 ? H.why : ''}>
      {errors.length === 0 ? (
        <p class="empty">{H.none}</p>
      ) : (
        <>
          <div class="inset buttons">
            <Choice name="" label={H.all} />
            {codes.map(({ name, count: times }) => (
              <Choice key={name} name={name} label={`${name} ${countText(times)}`} />
            ))}
          </div>
          <Scrolling isLong>
            <HeadedTable head={H.head}>
              {shown.map((row) => (
                <Failure key={row.requestId} row={row} />
              ))}
            </HeadedTable>
          </Scrolling>
        </>
      )}
    </ConsolePanel>
  )
}

function Choice({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <button
      type="button"
      class="plain"
      aria-pressed={code.value === name}
      data-code={name}
      onClick={() => void choose(name)}
    >
      {label}
    </button>
  )
}

function Failure({ row: { atMs, code: why, operation, requestId } }: { readonly row: ErrorRow }) {
  const isOpen = request.value === requestId
  return (
    <>
      <tr>
        <td class="quiet">{clockTime(atMs)}</td>
        <td>{why}</td>
        <td>{operation}</td>
        <td>
          <button
            type="button"
            class="plain"
            aria-expanded={isOpen}
            data-request={requestId}
            onClick={() => void openRequest(isOpen ? '' : requestId)}
          >
            {requestId}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr class="lines">
          <td colSpan={4}>
            <Lines />
          </td>
        </tr>
      )}
    </>
  )
}

function Lines() {
  const H = CONSOLE_TEXTS.errors
  const { value } = lines
  if (value === null) return <p>{H.waiting}</p>
  if (value.length === 0) return <p>{H.noLines}</p>
  return (
    <ol>
      {value.map(({ atMs, level, event, fields }, at) => (
        <li key={at} class={level === 'info' ? '' : 'down'}>
          {filledTemplate(H.line, { time: clockTime(atMs), level, event })}
          <code>{fieldsText(fields)}</code>
        </li>
      ))}
    </ol>
  )
}

function fieldsText(fields: RequestLine['fields']): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

async function choose(name: string): Promise<void> {
  code.value = name
  rows.value = []
  if (name === '') return
  const found = await fetchRows<ErrorRow>(`failures?code=${encodeURIComponent(name)}`, 'rows')
  if (code.peek() === name) rows.value = found
}

async function openRequest(id: string): Promise<void> {
  request.value = id
  lines.value = null
  if (id === '') return
  const found = await fetchRows<RequestLine>(`lines?request=${encodeURIComponent(id)}`, 'lines')
  if (request.peek() === id) lines.value = found
}

/** The rows of an answer of this server; an empty list if it cannot be read. */
async function fetchRows<Row>(path: string, member: string): Promise<readonly Row[]> {
  try {
    const body = await (await fetch(`/console/${path}`)).json()
    return body[member] ?? []
  } catch {
    return []
  }
}
