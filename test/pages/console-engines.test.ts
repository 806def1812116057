import { expect } from 'bun:test'
import { type PostgresServer, startPostgres } from '../cluster/postgres.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from '../cluster/valkey.ts'
import { testsNeeding } from '../programs.ts'
import { recordedAnswer, startRecordedVenue } from '../surface/recorded-venue.ts'
import { openPage } from './browser.ts'
import { eventually, openPageFixture, type PageFixture } from './fixture.ts'

const { afterAll, beforeAll, test } = testsNeeding('engines in the console', ...VALKEY_PROGRAMS)

let postgres: PostgresServer
let database: string
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let fixture: PageFixture
beforeAll(async () => {
  ;[postgres, valkey, venue] = await Promise.all([
    startPostgres(),
    startValkey(),
    startRecordedVenue(recordedAnswer),
  ])
  database = await postgres.newDatabase()
  fixture = await openPageFixture({
    VENUE: venue.url,
    // Nobody listens, so that nothing is asked of it.
    VENUE_STREAM: 'wss://127.0.0.1:1',
    POSTGRES: database,
    VALKEY: valkey.url,
  })
})
afterAll(async () => {
  await fixture.stop()
  await Promise.all([postgres.stop(), valkey.stop(), venue.stop()])
})

/** Seen now: one of long ago would be forgotten within the minute. */
const ANOTHER = `INSERT INTO prepd_instances (name, version, since_ms, seen_ms, is_ready)
  VALUES ('other:7', '1.0', 1, extract(epoch FROM now()) * 1000, true)`

// Slow: PostgreSQL and Valkey start, go away and come back.
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

  const instances = page.getByRole('region', { name: 'Instances' }).locator('[data-instance]')
  await instances.getByText('(this one)').waitFor()
  expect(await instances.count()).toBe(1)
  expect(await instances.locator('td').allTextContents()).toEqual([
    expect.stringMatching(/^\S+:\d+ \(this one\)$/),
    expect.stringMatching(/^\d+\.\d+/),
    expect.stringMatching(/^\d\d \w+ \d\d:\d\d:\d\d$/),
    expect.stringMatching(/^\d+ s ago$/),
    expect.stringMatching(/^(not known|ready)$/),
  ])

  const feed = page.getByRole('region', { name: 'Instances' }).locator('[data-feed]')
  const feedSays = (text: string) => feed.getByText(text).waitFor()
  await feed.and(page.locator('[data-feed=none]')).waitFor()
  await feedSays('no instance leads, for lack of subscribers')
  const figures = await (await fixture.target.ops('/console/figures')).text()
  const { instance }: { readonly instance: string } = JSON.parse(figures)
  await valkey.cli('set', 'prepd:feed', `${instance}/aa 1`)
  await feedSays('this instance, the only one, has it from the venue')
  await postgres.ask(ANOTHER, new URL(database).pathname.slice(1))
  await feedSays('this instance leads')
  await valkey.cli('set', 'prepd:feed', 'other:7/aa 1')
  await feedSays('other:7 leads')

  // What is in PostgreSQL has no file here.
  expect(await page.getByText('in PostgreSQL').count()).toBe(3)

  await valkey.kill()
  await row('valkey').getByText('away (unreachable)').waitFor()
  expect(await row('valkey').locator('td').nth(5).getAttribute('title')).toMatch(/unreachable \d/)
  await feedSays('Valkey is away')
  // PostgreSQL answers while Valkey is away: on a busy machine one look may find it late.
  await eventually(
    async () => (await engines.locator('[data-engine]').allTextContents()).join(),
    (text) => /answers.*away|away.*answers/.test(text),
  )
  await valkey.start()
  await row('valkey').getByText('answers').waitFor()
  // What it held in memory is gone.
  await feedSays('no instance leads')

  // What is answered while PostgreSQL cannot be asked.
  await page.route('**/console/figures?*', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), instances: [] } })
  })
  await page
    .getByRole('region', { name: 'Instances' })
    .getByText('Unknown: the store does not answer.')
    .waitFor()
  expect(await feed.count()).toBe(1)
  await page.unroute('**/console/figures?*')
  await instances.getByText('(this one)').waitFor()

  expect(complaints).toEqual([])
  const shown =
    (await (await fixture.target.ops('/console/figures')).text()) + (await page.content())
  for (const secret of [valkey.password, 'hunter2', '127.0.0.1'])
    expect(shown).not.toContain(secret)
  await context.close()
})
