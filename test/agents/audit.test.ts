import { expect, test } from 'bun:test'
import { createAuditLog } from '../../src/agents/audit.ts'
import { createLog } from '../../src/core/log.ts'

const ACCOUNT = `0x${'12'.repeat(32)}`

test('a write leaves one line of the log, in which nothing long or key-like stands whole', () => {
  const lines: string[] = []
  const { log } = createLog({
    hasPriorities: false,
    level: () => 'info',
    clock: { nowMs: () => 0 },
    hasRoom: () => true,
    write: (line) => lines.push(line),
  })
  createAuditLog(log)({
    tool: 'place_order',
    symbol: 'PERP_ETH_USDC',
    size: '0.5',
    client_order_id: 'a'.repeat(200),
    code: 'ok',
    account: ACCOUNT,
    note: `key ${'cd'.repeat(32)} it was`,
    retried: false,
    limit: null,
  })
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'agent_write',
      tool: 'place_order',
      symbol: 'PERP_ETH_USDC',
      size: '0.5',
      client_order_id: '0xaaaa…aaaa',
      code: 'ok',
      account: '0x1212…1212',
      note: 'key 0xcdcd…cdcd it was',
      retried: false,
      limit: null,
    },
  ])
})
