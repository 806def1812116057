import { signal } from '@preact/signals'
import { fill } from '../../../common/format.ts'
import { saveFile } from '../../../common/save-file.ts'
import { nowMs } from '../../../common/world.ts'
import { read } from '../../account/relay.ts'
import { session } from '../../account/session.ts'
import { notify, notifyFailure } from '../../messages/notices.ts'
import { P } from '../../messages/portfolio.ts'
import { csvOf } from '../../portfolio/csv.ts'
import { RECORD_NAMES, type RecordName, readHistory } from '../../portfolio/records.ts'

const reading = signal<RecordName | null>(null)

/** The account's histories as files. */
export function Downloads() {
  return (
    <section class="panel" aria-label={P.csv.title}>
      <div class="head">
        <h2>{P.csv.title}</h2>
      </div>
      <div class="inside">
        <p class="quiet">{P.csv.why}</p>
        <p class="row">
          {RECORD_NAMES.map((name) => (
            <button
              key={name}
              type="button"
              disabled={reading.value !== null}
              onClick={() => void save(name)}
            >
              {P.csv.names[name]}
            </button>
          ))}
        </p>
      </div>
    </section>
  )
}

async function save(name: RecordName): Promise<void> {
  const key = session.peek()
  if (!key) return
  reading.value = name
  try {
    const { rows, isWhole } = await readHistory(name, (path) => read(key, path))
    if (rows.length === 0) {
      notify({ kind: 'good', text: P.csv.none })
      return
    }
    const day = new Date(nowMs()).toISOString().slice(0, 10)
    saveFile(`${name}-${key.accountId.slice(0, 10)}-${day}.csv`, csvOf(rows), 'text/csv')
    notify({
      kind: 'good',
      text: fill(isWhole ? P.csv.saved : P.csv.part, { count: rows.length }),
    })
  } catch (error) {
    notifyFailure(error)
  } finally {
    reading.value = null
  }
}
