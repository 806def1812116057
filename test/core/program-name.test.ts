import { expect, test } from 'bun:test'
import { clientProgram } from '../../src/agents/protocol/program.ts'
import { programName } from '../../src/core/program-name.ts'

test('the name of a program is one line of plain text, and no longer than 64 characters', () => {
  expect(programName('claude-code/2.1')).toBe('claude-code/2.1')
  expect(programName('a\r\nb\u202ec\u0000')).toBe('abc')
  expect(programName('x'.repeat(100_000))).toBe('x'.repeat(64))
  for (const nothing of [null, '', '  ', '\u202e']) expect(programName(nothing)).toBeNull()
})

test('a client of MCP is named by its handshake, or by each of its messages', () => {
  const clientInfo = { name: 'an agent', version: '1' }
  const meta = { _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'other' } } }
  expect(clientProgram({ method: 'initialize', params: { clientInfo } })).toBe('an agent/1')
  expect(clientProgram({ method: 'tools/call', params: meta })).toBe('other')
  for (const silent of [null, [], {}, { params: { clientInfo: { name: 7 } } }])
    expect(clientProgram(silent)).toBeNull()
})
