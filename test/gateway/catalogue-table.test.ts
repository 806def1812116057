import { describe, expect, test } from 'bun:test'
import { CatalogueAnswer } from '../../src/contract/envelope.ts'
import { NAMES, PHRASES } from '../../src/contract/scrub-lists.ts'
import { parseBody } from '../../src/core/parse-body.ts'
import { catalogueAnswer } from '../../src/gateway/catalogue.ts'
import snapshot from '../snapshots/catalogue.json' with { type: 'json' }
import { answerOf } from './market/answered.ts'

const text = await answerOf(catalogueAnswer, '', '{}')
const catalogue = parseBody(CatalogueAnswer, text)

describe('the catalogue', () => {
  // To change the contract on purpose: write what the route answers to the snapshot, indented by two, and review it.
  test('is the published contract, to the letter', () => {
    expect(JSON.parse(text)).toEqual(snapshot)
  })

  test('has the members it is documented with, and nothing beside them', () => {
    expect(Object.keys(catalogue)).toEqual(['version', 'operations', 'groups', 'streams', 'errors'])
  })

  test('groups every operation once', () => {
    const { operations, groups } = catalogue
    expect(Object.values(groups).flat()).toEqual(operations.map(({ id }) => id))
  })

  test('takes every parameter in the query, and says nothing of the venue', () => {
    const { operations } = catalogue
    expect(
      operations.flatMap(({ parameters }) => parameters).every((row) => row.in === 'query'),
    ).toBeTrue()
    expect(JSON.stringify(operations)).not.toMatch(/\/v[12]\/|upstream|orderly|vaults"/i)
  })

  test('holds no string that the scrub would take for a venue', () => {
    const strings = text.match(/"[^"]*"/g) ?? []
    const squeezed = strings.map((text) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
    expect(squeezed.filter((text) => [...NAMES, ...PHRASES].includes(text))).toEqual([])
  })
})
