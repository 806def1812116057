import pg from 'pg'
import { note } from '../aims.ts'
import { cpuMicros, median, percentile, ROUNDS } from '../measure.ts'
import { CALLS, relayHop } from '../relay.ts'
import type { Running } from '../servers.ts'
import type { Engines } from './engines.ts'

const WRITES = 400
const WARMING = 1000

type Figures = { readonly p50s: number[]; readonly costs: number[] }

/** What a relayed write takes longer where its claim is kept in PostgreSQL, and how long such a row alone takes. */
export async function sharedWrites({
  newDatabase,
  startAlone,
  startShared,
}: Engines): Promise<void> {
  const [alone, shared] = await Promise.all([startAlone(), startShared()])
  const rows = await openRows(await newDatabase())
  const figures = { alone: noFigures(), shared: noFigures() }
  const bare: number[] = []
  // Until then their code is being compiled.
  for (const server of [alone, shared]) await relayHop(server, WARMING, CALLS.write)
  for (let round = 0; round < ROUNDS; round++) {
    await writes(alone, figures.alone)
    await writes(shared, figures.shared)
    bare.push(percentile(await rows.insert(WRITES), 0.5))
  }
  const added = median(figures.shared.p50s) - median(figures.alone.p50s)
  note('sharedWrite', added)
  console.log(
    '\nrelayed write, claimed in a file and in PostgreSQL, each on the disk before it is sent',
  )
  for (const [name, { p50s, costs }] of Object.entries(figures))
    console.log(
      `  ${name.padEnd(6)} p50 ${median(p50s).toFixed(3)} ms, ${median(costs).toFixed(0)} us cpu`,
    )
  console.log(
    `  shared adds ${added.toFixed(3)} ms; a row alone takes ${median(bare).toFixed(3)} ms`,
  )
  await Promise.all([alone.stop(), shared.stop(), rows.close()])
}

function noFigures(): Figures {
  return { p50s: [], costs: [] }
}

async function writes(server: Running, { p50s, costs }: Figures): Promise<void> {
  const before = cpuMicros(server.pid)
  p50s.push((await relayHop(server, WRITES, CALLS.write)).p50)
  costs.push((cpuMicros(server.pid) - before) / WRITES)
}

/** A table like that of the claims, asked by nothing but the driver. */
async function openRows(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'CREATE TABLE bare (identity text PRIMARY KEY, attempt text, expires_at timestamptz)',
  )
  await client.query('CREATE INDEX ON bare (expires_at)')
  const text = 'INSERT INTO bare VALUES ($1, $2, to_timestamp($3::float8 / 1000)) RETURNING attempt'
  return {
    insert: async (count: number) => {
      const figures: number[] = []
      for (let row = 0; row < count; row++) {
        const values = [
          `${crypto.randomUUID()}${crypto.randomUUID()}`,
          crypto.randomUUID(),
          Date.now(),
        ]
        const startedMs = performance.now()
        await client.query({ name: 'bare', text, values })
        figures.push(performance.now() - startedMs)
      }
      return figures
    },
    close: () => client.end(),
  }
}
