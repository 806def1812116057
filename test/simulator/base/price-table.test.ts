import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  clearAt,
  createPriceTable,
  putAt,
  valueAt,
} from '../../../src/simulator/base/price-table.ts'

const prices = fc.integer({ min: 0, max: 3_000_000 })
const steps = fc.array(fc.record({ price: prices, leaves: fc.boolean() }))

test('what is put at a price is found there and nowhere else, until it is taken away', () => {
  fc.assert(
    fc.property(steps, fc.array(prices), (all, others) => {
      const table = createPriceTable<object>()
      const known = new Map<number, object>()
      for (const { price, leaves } of all) {
        if (leaves) {
          known.delete(price)
          clearAt(table, price)
        } else if (!known.has(price)) {
          const value = { price }
          known.set(price, value)
          putAt(table, price, value)
        }
        expect(table.size).toBe(known.size)
      }
      for (const price of [...others, ...all.flatMap((step) => [step.price, step.price + 1])])
        expect(valueAt(table, price)).toBe(known.get(price) ?? null)
    }),
  )
})

test('a page that has lost the last of what was in it is not kept', () => {
  const table = createPriceTable<string>()
  for (const price of [64, 65, 640]) putAt(table, price, `at ${price}`)
  const held = () => table.pages.filter((page) => page !== null).length
  expect(held()).toBe(2)
  clearAt(table, 64)
  expect(held()).toBe(2)
  clearAt(table, 65)
  clearAt(table, 65)
  expect(held()).toBe(1)
  expect(table.size).toBe(1)
})
