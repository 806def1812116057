import { expect, setDefaultTimeout } from 'bun:test'
import { type PostgresServer, startPostgres } from '../engines/postgres.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from '../engines/valkey.ts'
import { testsNeeding } from '../programs.ts'
import { recordedAnswer, startRecordedVenue } from '../surface/recorded-venue.ts'
import { openPage } from './browser.ts'
import { eventually, openPageFixture, type PageFixture, TIMEOUT_MS } from './fixture.ts'

const { afterAll, beforeAll, test } = testsNeeding('engines in the console', ...VALKEY_PROGRAMS)

setDefaultTimeout(TIMEOUT_MS)

let postgres: PostgresServer
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let fixture: PageFixture
beforeAll(async () => {
  ;[postgres, valkey, venue] = await Promise.all([
    startPostgres(),
    startValkey(),
    startRecordedVenue(recordedAnswer),
  ])
  fixture = await openPageFixture({
    VENUE: venue.url,
    POSTGRES: await postgres.newDatabase(),
    VALKEY: valkey.url,
  })
})
afterAll(async () => {
  await fixture.stop()
  await Promise.all([postgres.stop(), valkey.stop(), venue.stop()])
})

test('the operator’s console shows how each engine does, that one is away and that it is back', async () => {
  const { page, context, complaints } = await openPage(fixture.browser)
  await page.goto(`${fixture.opsOrigin}/`)
  const row = (name: string) => page.locator(`[data-engine=${name}]`)
  const engines = page.getByRole('region', { name: 'Engines' })
  await engines.getByText('p99 ≤').waitFor()
  for (const name of ['postgres', 'valkey']) await row(name).getByText('answers').waitFor()
  // Until the server has called it, the console has nothing to show.
  await eventually(
    async () => (await row('valkey').locator('td').nth(3).textContent()) ?? '',
    (text) => /^[0-9.]+ ms$/.test(text),
  )

  await valkey.kill()
  await row('valkey').getByText('away (unreachable)').waitFor()
  expect(await row('valkey').locator('td').nth(5).getAttribute('title')).toMatch(/unreachable \d/)
  expect(await row('postgres').getByText('answers').count()).toBe(1)
  await valkey.start()
  await row('valkey').getByText('answers').waitFor()

  expect(complaints).toEqual([])
  const shown =
    (await (await fixture.target.ops('/console/figures')).text()) + (await page.content())
  for (const secret of [valkey.password, 'hunter2', '127.0.0.1'])
    expect(shown).not.toContain(secret)
  await context.close()
})
