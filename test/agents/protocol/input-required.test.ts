import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TestCaller } from '../../caller.ts'
import { askToApprove, DECISION } from '../../surface/approval-requests.ts'
import { newUser, post as postJson, signedBody, WALLETS } from '../../surface/wallets.ts'
import { openTarget, type Target } from '../../target.ts'
import { modern, modernHeaders, post, toolText } from '../rpc.ts'

const BUY = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 500 }
const CAN_OPEN = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } }

const wallet = WALLETS.viem()
let target: Target
let caller: TestCaller
beforeAll(async () => {
  target = await openTarget('in process', { VENUE_CLOCK: 'virtual', LIMIT_MCP: 'off' })
  caller = await newUser(target, wallet)
})
afterAll(() => target.stop())

/** What a client that opens links gets for an order above the value. */
async function place(params: object = {}, meta: object = CAN_OPEN) {
  const call = modern('tools/call', { name: 'place_order', arguments: BUY, ...params }, meta)
  const { json } = await post(target, call, {
    ...modernHeaders('tools/call', 'place_order'),
    'x-account-id': caller.accountId,
    'x-trading-key': Buffer.from(caller.secret).toString('hex'),
    'x-approve-above-usdc': '100',
  })
  return json
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
const resultOf = async (params?: object): Promise<any> => (await place(params))?.result

test('a client that opens links is asked to open one, again and again until the owner has signed', async () => {
  const asked = await resultOf()
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { approval: { method: 'elicitation/create', params: { mode: 'url' } } },
  })
  const { requestState, inputRequests } = asked
  const { url, message } = inputRequests.approval.params
  expect(message).toContain('PERP_ETH_USDC, MARKET order')
  const approval = new URL(url).pathname.split('/').at(-1)
  const accepted = { requestState, inputResponses: { approval: { action: 'accept' } } }
  for (let times = 0; times < 3; times += 1)
    expect((await resultOf(accepted)).inputRequests).toEqual(inputRequests)
  const signed = await signedBody(wallet, await askToApprove(target, approval))
  expect((await postJson(target, DECISION, signed)).body).toMatchObject({ state: 'approved' })
  const placed = await place(accepted)
  expect(placed?.result).toMatchObject({ resultType: 'complete' })
  expect(toolText(placed).value).toMatchObject({ symbol: BUY.symbol })
})

test('a user who declines, a client that opens no links and one of an earlier era get the failure', async () => {
  const { requestState } = await resultOf()
  const declined = { requestState, inputResponses: { approval: { action: 'decline' } } }
  for (const answer of [await place(declined), await place({}, {})]) {
    expect(answer?.result).toMatchObject({ resultType: 'complete', isError: true })
    expect(toolText(answer).value).toMatchObject({ code: 'approval_required' })
  }
})

test('a state that this service has not made is refused', async () => {
  for (const requestState of ['', '{', '{"tool":"close_all","again":{}}', 7]) {
    expect((await place({ requestState }))?.error).toMatchObject({ code: -32602 })
  }
})
