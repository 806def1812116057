import { expect, test } from 'bun:test'
import { parseExact, toFloat } from '../../../src/core/json.ts'
import { packMessage, unpackMessage } from '../../../src/simulator/messages/message.ts'

const TEXT = '{"symbol":"PERP_ETH_USDC","close":2550.10,"rows":[[1E5,-0,20000000000000000001]]}'

test('a message that went to another thread has its numbers, each as it was spelled', () => {
  const message = { topic: 'tickers', atMs: 7, data: parseExact(TEXT, 9) }
  const arrived = unpackMessage(structuredClone(packMessage(message)))
  expect(arrived).toEqual(message)
  expect(JSON.stringify(arrived.data)).toBe(TEXT)
  expect(toFloat(Object(arrived.data).close)).toBe(2550.1)
})

test('a message without data arrives with null; one that is cloned as it is loses its numbers', () => {
  const empty = { topic: 'tickers', atMs: 7, data: undefined }
  expect(unpackMessage(packMessage(empty)).data).toBeNull()
  const cloned: unknown = structuredClone(parseExact(TEXT, 9))
  expect(toFloat(Object(cloned).close)).toBeUndefined()
})
