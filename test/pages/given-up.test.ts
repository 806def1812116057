// Slow: a browser opens pages whose live data is held back.
import { expect, test } from 'bun:test'
import { openPage } from './browser.ts'
import { eventually, openPageFixture, STILL } from './fixture.ts'
import { startLateServer } from './late-server.ts'

test('live data that is given up before it has come is so without a complaint, and comes later', async () => {
  const fixture = await openPageFixture(STILL)
  const late = startLateServer(fixture.origin)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  late.holdSockets(held)
  const { page, context, complaints, frames } = await openPage(fixture.browser)
  const asked = page.waitForEvent('websocket')
  await page.goto(`${late.origin}/trade/PERP_ETH_USDC`)
  const socket = await asked
  const closed = socket.waitForEvent('close')
  await page.evaluate("dispatchEvent(new Event('offline'))")
  expect(frames).toEqual([])
  release()
  await closed
  await page.evaluate("dispatchEvent(new Event('online'))")
  await eventually(
    async () => frames,
    (all) => all.some((frame) => frame.includes('"type":"snapshot"')),
  )
  expect(complaints).toEqual([])
  await context.close()
  await late.stop()
  await fixture.stop()
})
