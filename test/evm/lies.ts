import { altered, DEAD, HTML, type Passed } from './endpoint.ts'

/** What an endpoint answers in the place of its node. */
export type Meddler = (call: Passed) => unknown

type Log = { readonly topics: readonly string[]; readonly data: string; readonly address: string }

function withLogs(change: (log: Log) => Partial<Log>): Meddler {
  return ({ method, result }) => {
    if (method !== 'eth_getTransactionReceipt' || result === null) return result
    const { logs }: { logs: readonly Log[] } = JSON.parse(JSON.stringify(result))
    return altered(result, { logs: logs.map((log) => ({ ...log, ...change(log) })) })
  }
}

/** What endpoints may say that is not so. */
export const LIES: readonly Meddler[] = [
  withLogs(({ data }) => ({ data: `0x${'f'.repeat(16).padStart(64, '0')}${data.slice(66)}` })),
  withLogs(({ topics: [event = '', _id = '', ...rest] }) => ({
    topics: [event, `0x${'7'.repeat(64)}`, ...rest],
  })),
  withLogs(({ address }) => ({ address: `0x${address.slice(2).split('').toReversed().join('')}` })),
  ({ method, result }) => (method === 'eth_getTransactionReceipt' ? null : result),
  ({ method, params, result }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized'
      ? altered(result, { number: '0xffffff' })
      : result,
]

/** How an endpoint may be of no use. */
export const FAULTS: readonly Meddler[] = [
  () => DEAD,
  () => HTML,
  ({ method, result }) => (method === 'eth_chainId' ? '0x1' : result),
  ({ params, result }) => (params[0] === 'latest' ? altered(result, { timestamp: '0x1' }) : result),
]
