// Slow: a browser opens accounts by their links.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { REAL_WORLD } from '../operator/real-world.ts'
import { runCommand } from '../operator/run-command.ts'
import { settingsFolder } from '../settings-folder.ts'
import { violationsInBoth } from './axe.ts'
import { notice, openPageFixture, type PageFixture, STILL } from './fixture.ts'

let fixture: PageFixture
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
})
afterAll(() => fixture.stop())

test('the account of `account create` opens by its link, whose key leaves the address and is never sent', async () => {
  using folder = settingsFolder()
  const argv = ['account', 'create', '--url', fixture.origin, '--json']
  const { lines } = await runCommand(folder, argv, {}, REAL_WORLD)
  const { link, accountId, variables } = JSON.parse(lines.join('\n'))
  const { page, context, requests, complaints } = await fixture.openFast('/favicon.svg')
  await page.goto(link)
  await notice(page, RegExp(`^This browser now trades with the account ${accountId.slice(0, 10)}`))
  await page.getByText('Free margin').first().waitFor()
  expect(await violationsInBoth(page, 'html')).toEqual([])
  expect(complaints).toEqual([])
  expect(new URL(page.url()).hash).toBe('')
  expect(requests.join('\n')).toContain(accountId)
  expect(requests.join('\n')).not.toContain(variables.SERVICE_TRADING_KEY)
  await page.goBack()
  await page.goForward()
  expect(page.url()).not.toContain('#')
  await context.close()
})

test('with --out the link is a command that reads the file, and without a page there is none', async () => {
  using folder = settingsFolder()
  const transport = async (request: Request) =>
    request.url.endsWith('/trade')
      ? new Response('', { status: 404 })
      : REAL_WORLD.transport(request)
  const world = { ...REAL_WORLD, transport }
  const create = async (out: string, given = REAL_WORLD) => {
    const argv = ['account', 'create', '--url', fixture.origin, '--out', folder.path(out)]
    return (await runCommand(folder, argv, {}, given)).lines.join('\n')
  }
  const lines = await create('key')
  const command = lines.split('\n').find((line) => line.startsWith('echo ')) ?? ''
  const secret = (await Bun.file(folder.path('key')).text()).trim()
  expect(lines).not.toContain(secret)
  expect(await Bun.$`sh -c ${command}`.text()).toEndWith(`&key=${secret}\n`)
  expect(await create('another', world)).not.toContain('/trade')
})

test('a link with a key that nobody bound opens nothing, in a page that is open already', async () => {
  const { page, context } = await fixture.open('/trade')
  await page.locator('header').getByText('Connect', { exact: true }).waitFor()
  const links = [
    `#account=0x${'1'.repeat(64)}&wallet=0x${'2'.repeat(40)}&key=${'3'.repeat(64)}`,
    '#account=mine',
  ]
  for (const [at, hash] of links.entries()) {
    await page.evaluate(`location.hash = '${hash}'`)
    await page.getByText('The link opens no account here.').nth(at).waitFor()
    expect(new URL(page.url()).hash).toBe('')
  }
  await page.locator('header').getByText('Connect', { exact: true }).waitFor()
  await context.close()
})
