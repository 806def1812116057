import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { WALLETS } from '../surface/wallets.ts'
import type { Visit } from './browser.ts'
import {
  agree,
  buyAtMarket,
  eventually,
  forgetKey,
  list,
  openPageRig,
  openThrowAway,
  PATIENCE_MS,
  type PageRig,
  placeResting,
  signBoth,
  ticket,
  WAYS,
} from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

/** Everything that the browser keeps or shows, as one text. */
const SEEN = `(async () => {
  const databases = await indexedDB.databases()
  const kept = await Promise.all(databases.map(({ name }) => new Promise((resolve) => {
    const open = indexedDB.open(name)
    open.onsuccess = () => {
      const stores = [...open.result.objectStoreNames]
      if (stores.length === 0) return resolve('')
      const all = open.result.transaction(stores[0]).objectStore(stores[0]).getAll()
      all.onsuccess = () => resolve(JSON.stringify(all.result))
    }
  })))
  return [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href, document.documentElement.outerHTML, ...kept].join(' ')
})()`

/** Remembers the 32-byte secrets that the page draws, for the test alone. */
const REMEMBER_SECRETS = `{
  const draw = crypto.getRandomValues.bind(crypto)
  window.drawn = []
  crypto.getRandomValues = (bytes) => {
    const filled = draw(bytes)
    if (filled.byteLength === 32) window.drawn.push(Array.from(filled, (byte) => byte.toString(16).padStart(2, '0')).join(''))
    return filled
  }
}`

describe.each(WAYS)('the trading page, for whoever trades: %s', (_, settings) => {
  let rig: PageRig
  beforeAll(async () => {
    // Fewer at once than the openings here take: the page waits, and none of them fails.
    rig = await openPageRig({ ...settings, LIMIT_WRITE: '60/60s burst 5' })
  })
  afterAll(() => rig.stop())

  test('from a throw-away wallet to a closed position, a reload and a forgotten key', async () => {
    const { page, context, complaints, requests, frames } = await visitTraced(rig)
    await openThrowAway(page)
    await tradeAround(page)
    const secrets = await page.evaluate<string[]>('window.drawn')
    expect(secrets.length).toBeGreaterThan(0)
    const seen = (await page.evaluate<string>(SEEN)) + [...requests, ...frames].join(' ')
    for (const secret of secrets) expect(seen.toLowerCase()).not.toContain(secret)
    await reloadAndForget(page)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('with a wallet of the browser that announces itself, which signs the server’s own text', async () => {
    const opened = await visitTraced(rig)
    const { page, context } = opened
    const signed = await injectWallet(opened)
    await page.reload()
    await page.locator('header').getByText('Connect', { exact: true }).click()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await signBoth(page)
    expect(signed.length).toBe(2)
    const [, binding = ''] = signed
    const key = await page.evaluate<string>(keptKey('publicKey'))
    expect(JSON.parse(binding).message).toMatchObject({ scope: 'read,trading' })
    expect(binding).toContain(key)
    await tradeAround(page)
    await reloadAndForget(page)
    await context.close()
  })

  test('the key that is kept cannot be read out', async () => {
    const { page, context } = await visitTraced(rig)
    await page.locator('header').getByText('Connect', { exact: true }).click()
    await page.getByText('Use a throw-away wallet').click()
    await signBoth(page)
    const attempts = ['jwk', 'pkcs8', 'raw'].map((format) =>
      page.evaluate<string>(
        `${keptKey('key')}.then((key) => crypto.subtle.exportKey('${format}', key)).then(() => 'read out', (error) => error.name)`,
      ),
    )
    expect(await Promise.all(attempts)).toEqual(Array.from(attempts, () => 'InvalidAccessError'))
    await context.close()
  })

  test('two tabs share one key, and forgetting it in one is seen in the other', async () => {
    const { page, context } = await visitTraced(rig)
    await openThrowAway(page)
    const other = await context.newPage()
    await other.goto(`${rig.origin}/trade`)
    await forgetKey(other)
    await page.locator('header').getByText('Connect', { exact: true }).waitFor()
    await context.close()
  })
})

async function visitTraced(rig: PageRig): Promise<Visit> {
  const opened = await rig.visit('/favicon.svg')
  await opened.page.addInitScript(REMEMBER_SECRETS)
  await opened.page.goto(`${rig.origin}/trade/PERP_ETH_USDC`)
  return opened
}

/** An EIP-6963 wallet out of a library of somebody else's; answers the texts it is given to sign. */
async function injectWallet({ context }: Visit): Promise<string[]> {
  const wallet = WALLETS.ethers()
  const signed: string[] = []
  await context.exposeFunction('signOutside', (typedData: string) => {
    signed.push(typedData)
    return wallet.sign(typedData)
  })
  await context.addInitScript(`{
    const answers = {
      eth_requestAccounts: () => ['${wallet.address}'],
      eth_chainId: () => '0xa4b1',
      eth_signTypedData_v4: ([, typedData]) => window.signOutside(typedData),
    }
    const provider = { request: async ({ method, params }) => answers[method](params) }
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: Object.freeze({ info: { uuid: 'test', name: 'Test Wallet', icon: 'data:image/svg+xml,<svg/>', rdns: 'test' }, provider }),
    }))
    addEventListener('eip6963:requestProvider', announce)
  }`)
  return signed
}

/** A limit order that rests, is changed and cancelled; a position that is closed in part and whole. */
async function tradeAround(page: Page): Promise<void> {
  const price = await placeResting(page, '0.05')
  expect(await page.locator('.bytes').textContent()).toContain(`"order_price":${price}`)
  await agree(page)
  await list(page, 'orders').click()
  await page.locator(`tr[data-order] td[data-price="${price}"]`).waitFor()
  await page.getByRole('button', { name: /^Edit order/ }).click()
  await page.locator('dialog .entry input').nth(1).fill('0.06')
  await page.locator('dialog').getByText('Change', { exact: true }).click()
  await agree(page)
  await page.locator('tr[data-order] td[data-size="0.06"]').waitFor()
  await page.getByRole('button', { name: /^Cancel order/ }).click()
  await agree(page)
  await page.getByText('No open orders.').waitFor()
  await list(page, 'positions').click()
  await buyAtMarket(page, '0.04')
  await page.locator('tr[data-symbol=PERP_ETH_USDC] td[data-size="0.04"]').waitFor()
  await page.getByRole('button', { name: 'Close part of ETH' }).click()
  await page.locator('dialog .entry input').fill('0.01')
  await page.locator('dialog').getByRole('button', { name: 'Close part' }).click()
  await agree(page)
  await page.locator('tr[data-symbol=PERP_ETH_USDC] td[data-size="0.03"]').waitFor()
  await page.getByRole('button', { name: 'Close ETH' }).click()
  await agree(page)
  await page.getByText('No open positions.').waitFor()
  for (const name of ['history', 'fills', 'balances']) {
    await list(page, name).click()
    await eventually(
      () => page.locator('.lists tbody tr').count(),
      (count) => count > 0,
    )
  }
}

async function reloadAndForget(page: Page): Promise<void> {
  await page.reload()
  await page.getByText('Free margin').first().waitFor()
  await ticket.submit(page).waitFor()
  await forgetKey(page)
  await page.getByText('The key is forgotten in this browser.').waitFor()
  await page.reload()
  await page.locator('header').getByText('Connect', { exact: true }).waitFor()
  expect(await page.evaluate<unknown>(keptKey('publicKey'))).toBeNull()
}

function keptKey(field: string): string {
  return `new Promise((resolve) => {
    const open = indexedDB.open('trading-keys')
    open.onsuccess = () => {
      const all = open.result.transaction('trading-keys').objectStore('trading-keys').getAll()
      all.onsuccess = () => resolve(all.result[0]?.${field} ?? null)
    }
  })`
}
