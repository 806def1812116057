import { expect, test } from 'bun:test'
import { isSuffixed, sharedColumns } from '../../../src/gateway/scrub/scrub.ts'

test('the positions of builders’ markets go from every column, and numbers keep their spelling', () => {
  const text =
    '{"s":"ok","symbol":["PERP_BTC_USDC","PERP_NVDA_USDC_woofi","PERP_ETH_USDC"],"pricescale":[1.50,2,10000000000000000001],"resolutions":[["1"],["5"],["60"]],"single":["x"]}'
  expect(sharedColumns(text)).toBe(
    '{"s":"ok","symbol":["PERP_BTC_USDC","PERP_ETH_USDC"],"pricescale":[1.50,10000000000000000001],"resolutions":[["1"],["60"]],"single":["x"]}',
  )
})

test('what is no column of the same length stays, whatever it is', () => {
  const rest = '"other":[1,2,3],"none":[],"text":"ab","none_of":null,"number":2.0'
  expect(sharedColumns(`{"symbol":["PERP_A_USDC_x","PERP_B_USDC"],${rest}}`)).toBe(
    `{"symbol":["PERP_B_USDC"],${rest}}`,
  )
})

test.each([
  '{ "s":"ok", "symbol":["PERP_BTC_USDC"] ,"minmovement":[1.0]}',
  '{"s":"no_data"}',
  '{"s":"ok","symbol":"PERP_X_USDC_y"}',
  '[1,2]',
])('%s comes back as it is', (text) => {
  expect(sharedColumns(text)).toBe(text)
})

test('only a perpetual’s symbol with something behind it is a builder’s', () => {
  expect(['PERP_FOO_USDC_demo-x', 'PERP_FOO_USDC2'].every(isSuffixed)).toBe(true)
  expect(['PERP_1INCH_USDC', 'SPOT_BTC_USDC', 'ETH', 7, null].some(isSuffixed)).toBe(false)
})
