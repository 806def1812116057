import { NOBODY } from '../../spec/reference/examples.ts'
import type { Practice } from './practice.ts'

const CHAIN_ID = 42_161

/** An example of each body by the id of its route: on the embedded venue one that is accepted. */
export async function bodiesOf(practice: Practice | null): Promise<Record<string, object>> {
  const { accountId } = practice?.practised ?? NOBODY
  return {
    typedData: { kind: 'register', chainId: CHAIN_ID },
    referralCode: { accountId, code: 'PRACTICE' },
    referralRate: { accountId },
    voucher: { chainId: CHAIN_ID, txHash: `0x${'11'.repeat(32)}` },
    agent: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    ...(practice && {
      register: await practice.bodies.register(),
      tradingKey: await practice.bodies.tradingKey(),
      relay: await practice.bodies.relay(),
    }),
  }
}
