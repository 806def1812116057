import { describe, expect, test } from 'bun:test'
import { isOperationId, OPERATIONS, type OperationId } from '../../src/contract/operations.ts'
import { PLACEHOLDER_VALUES, parameterExample } from '../../src/contract/reference/examples.ts'
import { OPERATION_SHAPES } from '../../src/contract/venue/shapes.ts'
import { isObject, parsedJson } from '../../src/core/json.ts'
import { changesIn } from '../../src/upstream/shape-watch.ts'
import { operationCall } from '../../src/upstream/wire/operation-path.ts'
import { openVirtual, pass } from './embedded-fixture.ts'

const { venue } = openVirtual()
pass(venue, 60_000)

/** Operations that need an account which exists. */
const OF_AN_ACCOUNT: readonly string[] = [
  'rewards.userMerits',
  'campaigns.user',
  'account.exists',
  'account.keyInfo',
  'account.existsByAccountId',
  'builder.dailyRevenue',
]

async function bodyOf(path: string): Promise<unknown> {
  const { body } = Object(await venue.answer({ method: 'GET', path, headers: {} }))
  return parsedJson(String(body))
}

const [vault] = Object(await bodyOf('/v1/public/strategy_vault/vault/info')).data.rows

async function answerTo(id: OperationId): Promise<unknown> {
  const practised = {
    ...PLACEHOLDER_VALUES,
    vaultId: vault.vault_id,
    providerAddress: vault.sp_address,
  }
  const given = OPERATIONS[id].parameters.map(
    ({ name }) => [name, [String(parameterExample(id, name, practised))]] as const,
  )
  return bodyOf(operationCall(id, new Map(given), 'prepd').path)
}

describe('the embedded venue answers in the shape that is known of the live one', () => {
  const ids = Object.keys(OPERATION_SHAPES)
    .filter(isOperationId)
    .filter((id) => !OF_AN_ACCOUNT.includes(id))

  test.each(ids)('%s', async (id) => {
    const answer = await answerTo(id)
    expect(isObject(answer) && answer['success'] !== false).toBe(true)
    const { envelope } = OPERATIONS[id]
    expect(changesIn({ shape: OPERATION_SHAPES[id] ?? 'any', envelope }, answer)).toEqual([])
  })
})
