import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SHAPES_DATE } from '../../src/contract/venue/shapes.ts'
import { settingsFolder } from '../settings-folder.ts'
import { operationAnswer, startRecordedVenue } from '../surface/recorded-venue.ts'
import { REAL_WORLD } from './real-world.ts'
import { runCommand } from './run-command.ts'

const folder = settingsFolder()

/** What the venue answers in the place of a recorded answer, by its path. */
let changed: Readonly<Record<string, unknown>> = {}
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
beforeAll(async () => {
  venue = await startRecordedVenue((request) => {
    const [path = ''] = request.target.split('?')
    return Object.hasOwn(changed, path) ? { json: changed[path] } : operationAnswer(request)
  })
})
afterAll(async () => {
  await venue.stop()
  folder[Symbol.dispose]()
})

async function doctorVenue(...argv: string[]) {
  const live = ['--venue', venue.url, '--venue-vaults', venue.url, '--broker-id', 'prepd']
  const wires = ['--venue-stream', 'off', '--venue-stream-private', 'off']
  const given = argv.length > 0 ? argv : [...live, ...wires]
  return runCommand(folder, ['doctor', 'venue', ...given], {}, REAL_WORLD)
}

const WELL = {
  '/v1/public/system_info': {
    success: true,
    timestamp: Date.now(),
    data: { status: 0, msg: 'ok', scheduled_maintenance: null },
  },
  '/v1/public/broker/name': {
    success: true,
    data: { rows: [{ broker_id: 'prepd', broker_name: 'prepd' }] },
  },
}

// Slow: eighty-six operations are read from a venue.
test('a venue that answers as it is known has no finding but what was read', async () => {
  changed = WELL
  const { lines, exitCode } = await doctorVenue()
  const own = lines.filter((line) => line.includes('venue_answers'))
  expect(own.map((line) => line.replace(/ +/g, ' '))).toEqual([
    `ok venue_answers 86 of 86 operations were read, as of ${SHAPES_DATE}`,
  ])
  expect({ exitCode, last: lines.at(-1) }).toMatchObject({
    last: expect.stringContaining('0 warned'),
  })
})

test('each operation that answers otherwise is one warning, and what is refused is named', async () => {
  changed = {
    ...WELL,
    '/v1/public/leverage': { success: true, data: { max_futures_leverage: 10, tiers: [] } },
    '/v1/public/volume/stats': { success: true, data: { perp_volume_ytd: 1 } },
    '/v1/get_account': { success: false, code: -1607, message: 'Account not found.' },
  }
  const { lines, exitCode } = await doctorVenue()
  const text = lines.join('\n').replace(/ +/g, ' ')
  expect(exitCode).toBe(0)
  expect(text).toContain(
    'warn venue_answers markets.leverage: max_futures_leverage is of another type (num), tiers is new (list)\n',
  )
  expect(text).toContain('warn venue_answers platform.volume: perp_volume_ltd is gone, ')
  expect(text).toContain(`ok venue_answers 85 of 86 operations were read, as of ${SHAPES_DATE}`)
  expect(text).toContain('refused without an account that exists: account.exists')
  expect(text).toContain(`prepd source knows those of ${SHAPES_DATE}`)
})

test('asks for nothing but reads, with ids that the venue itself has named', async () => {
  const before = venue.received.length
  await doctorVenue()
  const asked = venue.received.slice(before)
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']))
  const names = asked.flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase()))
  expect(names.filter((name) => /sign|key|account/.test(name))).toEqual([])
  const vaults = asked.flatMap(({ target }) => /vault_id=([^&]+)/.exec(target)?.[1] ?? [])
  expect(new Set(vaults).size).toBe(1)
  expect(vaults[0]).not.toBe(`0x${'11'.repeat(32)}`)
})

test('an embedded venue is not asked, and one that is away is one failure', async () => {
  const before = venue.received.length
  const embedded = await doctorVenue('--venue', 'embedded', '--venue-vaults', 'embedded')
  expect(embedded.lines.join('\n')).toContain('an embedded venue answers as this release does')
  expect(venue.received.length).toBe(before)
  const url = 'http://127.0.0.1:9'
  const away = await doctorVenue('--venue', url, '--venue-vaults', url)
  expect(away.exitCode).toBe(1)
  expect(away.lines.filter((line) => line.startsWith('fail'))).toHaveLength(1)
})
